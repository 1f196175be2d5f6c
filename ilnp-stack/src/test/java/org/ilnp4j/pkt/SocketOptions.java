package org.ilnp4j.pkt;

import java.util.Set;
import org.ilnp4j.pkt.Arg.Struct;
import org.ilnp4j.tcp.TcpInfo;
import org.ilnp4j.tcp.TcpState;
import org.ilnp4j.time.NanoClock;

/** {@code getsockopt} and {@code setsockopt}. */
final class SocketOptions {
  /** Kept and given back; they change nothing that a script could see here. */
  private static final Set<String> INERT =
      Set.of(
          "SO_REUSEADDR",
          "SO_REUSEPORT",
          "SO_RCVTIMEO",
          "SO_SNDTIMEO",
          "SO_PRIORITY",
          "TCP_KEEPCNT",
          "TCP_KEEPINTVL",
          "TCP_KEEPINIT",
          "IP_MTU_DISCOVER",
          "IPV6_MTU_DISCOVER",
          "IP_FREEBIND",
          "IP_TOS",
          "SO_MARK");

  private final Machine machine;
  private final Settings settings;
  private final boolean ipv4;

  SocketOptions(Machine machine, Settings settings, boolean ipv4) {
    this.machine = machine;
    this.settings = settings;
    this.ipv4 = ipv4;
  }

  private static String name(SysCall c) {
    String name = Arg.word(c.arg(2));
    if (name.isEmpty()) {
      throw ScriptStop.syntax("a socket option", c.arg(2).toString());
    }
    return name;
  }

  // ---- set ------------------------------------------------------------------------------------

  Result set(SysCall c, Sock s) {
    String name = name(c);
    if (name.equals("SO_LINGER")) {
      Struct linger = Arg.struct(c.arg(3));
      s.lingerAbort = Arg.number(linger.get("onoff")) != 0 && Arg.number(linger.get("linger")) == 0;
      return Result.of(0);
    }
    if (!Arg.isNumber(c.arg(3))) {
      if (INERT.contains(name)) {
        return Result.of(0);
      }
      throw ScriptStop.unsupported("socket option " + name);
    }
    long value = Arg.number(c.arg(3));
    switch (name) {
      case "TCP_NODELAY", "SO_KEEPALIVE", "TCP_KEEPIDLE", "SO_SNDBUF" -> {
        s.options.put(name, value);
        if (name.equals("SO_SNDBUF")) {
          s.sendBufferBytes = settings.profile.sendBuffer(value);
        }
        if (s.connection != null) {
          prepare(s);
          machine.turn();
        }
      }
      default -> {
        if (!INERT.contains(name)) {
          throw ScriptStop.unsupported("socket option " + name);
        }
        s.options.put(name, value);
      }
    }
    return Result.of(0);
  }

  /** Hands what was set before to a connection. */
  void prepare(Sock s) {
    s.connection.noDelay(s.options.getOrDefault("TCP_NODELAY", 0L) != 0);
    if (s.options.getOrDefault("SO_KEEPALIVE", 0L) != 0) {
      long seconds = kept(s, "TCP_KEEPIDLE", 7200);
      s.connection.keepAlive(machine.now, NanoClock.seconds(seconds));
    }
  }

  // ---- get ------------------------------------------------------------------------------------

  Result get(SysCall c, Sock s) {
    String name = name(c);
    Arg expected = c.arg(3);
    if (name.equals("SO_ERROR")) {
      String error = s.takeError();
      String want = Arg.word(expected);
      boolean same =
          Arg.isNumber(expected)
              ? error.isEmpty() == (Arg.number(expected) == 0)
              : Sock.isSameError(want, error);
      if (!same) {
        throw ScriptStop.fail("SO_ERROR", expected, error.isEmpty() ? "0" : error);
      }
      return Result.of(0);
    }
    long value = value(name, s);
    if (Arg.isNumber(expected) && Arg.number(expected) != value) {
      throw ScriptStop.fail("getsockopt " + name, expected, value);
    }
    return Result.of(0);
  }

  private long kept(Sock s, String name, long otherwise) {
    return s.options.getOrDefault(name, settings.socketDefaults.getOrDefault(name, otherwise));
  }

  private long value(String name, Sock s) {
    return switch (name) {
      case "TCP_MAXSEG" -> maxSegment(s);
      case "TCP_NODELAY", "SO_KEEPALIVE" -> s.options.getOrDefault(name, 0L);
      case "TCP_KEEPIDLE" -> kept(s, name, 7200);
      case "TCP_KEEPINTVL", "TCP_KEEPINIT" -> kept(s, name, 75);
      case "TCP_KEEPCNT" -> kept(s, name, settings.profile == Profile.FREEBSD ? 8 : 9);
      // Linux counts its own overhead in: twice what was asked for.
      case "SO_SNDBUF" ->
          s.options.getOrDefault(name, 0L) * (settings.profile == Profile.LINUX ? 2 : 1);
      case "SO_RCVBUF" -> receiveBuffer(s);
      default -> {
        Long kept = s.options.get(name);
        if (kept == null) {
          throw ScriptStop.unsupported("socket option " + name);
        }
        yield kept;
      }
    };
  }

  private long maxSegment(Sock s) {
    TcpInfo info = s.connection == null ? null : s.connection.info(machine.now);
    if (info == null || info.mssBytes() < 0) {
      return ipv4 ? 536 : 1220;
    }
    return info.mssBytes();
  }

  private long receiveBuffer(Sock s) {
    Long set = s.options.get("SO_RCVBUF");
    if (set != null) {
      return set;
    }
    boolean begun = s.connection != null && s.connection.state() != TcpState.SYN_SENT;
    return begun ? machine.receiveBufferBytes() : settings.receiveBufferBytes;
  }
}
