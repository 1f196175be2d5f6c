package org.ilnp4j.pkt;

import java.util.List;

/**
 * One line of a script.
 *
 * @param line in the file, from 1
 * @param time when it happens
 */
record Event(int line, When time, Action action) {
  /** What happens. */
  sealed interface Action
      permits Shell, Code, PacketSpec, IcmpSpec, UpdateSpec, SysCall, LinkEvent {}

  /** A command between back quotes. */
  record Shell(String command) implements Action {}

  /** Assertions between {@code %{} and {@code }%}. */
  record Code(String text) implements Action {}

  /**
   * Something happens to a link of ours.
   *
   * @param what {@code up}, {@code down}, {@code soft} or {@code hard}: the last two move to it
   */
  record LinkEvent(String uplink, String what) implements Action {}

  /**
   * An ICMP message from the network.
   *
   * @param mtu told by it, or -1
   * @param seq of the segment it quotes, as the script counts
   * @param length of that segment
   */
  record IcmpSpec(String type, String code, int mtu, long seq, int length, PacketSpec.Ip ip)
      implements Action {}

  /**
   * A Locator Update or its acknowledgement.
   *
   * @param inbound towards the stack under test
   * @param locators names, most preferred first
   */
  record UpdateSpec(
      boolean inbound, boolean acknowledgement, List<String> locators, PacketSpec.Ip ip)
      implements Action {}

  /**
   * A time of a script, in microseconds.
   *
   * @param relative counted from the event before
   * @param any at any time: {@code *}
   * @param endMicros of a range, or -1
   */
  record When(boolean relative, boolean any, long micros, long endMicros) {
    static final When NOW = new When(true, false, 0, -1);
    static final When ANY = new When(true, true, 0, -1);

    boolean isRange() {
      return endMicros >= 0;
    }
  }
}
