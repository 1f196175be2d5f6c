package org.ilnp4j.pkt;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.ilnp4j.tcp.EcnMode;
import org.ilnp4j.tcp.TcpConfig;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.wire.TcpHeader.OptionOrder;

/**
 * The system a script was written for: what of its defaults shows on the wire and in socket calls,
 * so that scripts which compare exactly can be played.
 */
enum Profile {
  /** This stack as it comes. */
  ILNP4J,
  LINUX,
  FREEBSD;

  static Profile byName(String name) {
    for (Profile p : values()) {
      if (p.label().equals(name)) {
        return p;
      }
    }
    throw ScriptStop.syntax(
        "a profile: "
            + Arrays.stream(values()).map(Profile::label).collect(Collectors.joining(", ")),
        name);
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Names for which {@code #ifdef} holds. */
  Set<String> defined() {
    return Set.of(this == FREEBSD ? "FreeBSD" : this == LINUX ? "linux" : "STANDARD");
  }

  TcpConfig tcp() {
    TcpConfig d = TcpConfig.DEFAULT;
    return switch (this) {
      case ILNP4J -> d;
      case LINUX -> d.withBuffers(4 << 20, 15 << 20).withPacing(false).withEcn(EcnMode.OFF);
      case FREEBSD ->
          d.withPacing(false)
              .withBuffers(32 << 10, 64 << 10)
              .withTimeWait(NanoClock.seconds(60))
              .withOptionOrder(OptionOrder.BSD)
              .withWindowShift(6)
              .withQuickAcks(0);
    };
  }

  /** The receive buffer TCP works with when a socket has one of {@code bytes}. */
  int receiveBuffer(int bytes, int mssBytes) {
    // FreeBSD makes it whole segments.
    return this == FREEBSD ? (bytes + mssBytes - 1) / mssBytes * mssBytes : bytes;
  }

  /** Octets of text that fit when {@code SO_SNDBUF} is set to {@code value}. */
  int sendBuffer(long value) {
    // Linux doubles the value, and counts about half as much again for each octet of text.
    long bytes = this == LINUX ? value * 4 / 3 : value;
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, bytes));
  }
}
