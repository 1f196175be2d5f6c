package org.ilnp4j.tun;

/**
 * An IPv6 policy routing rule. Rules are tried in ascending priority; the host's own addresses come
 * first (priority 0), the main table comes at 32766.
 *
 * @param priority the place in the order
 * @param source the source prefix; {@code ::} with length 0 matches every source
 * @param sourceLength 0 to 128
 * @param inputInterface the name of the interface a packet came in by ({@code lo} for packets of
 *     local programs); empty matches all
 * @param inverted true if the rule applies to the packets that do <em>not</em> match
 * @param action what to do
 * @param table the table to look up; 0 for {@link Action#BLACKHOLE}
 * @param protocol who made it: {@link Netlink#PROTOCOL} for ours
 */
public record Rule(
    int priority,
    Ip6Address source,
    int sourceLength,
    String inputInterface,
    boolean inverted,
    Action action,
    int table,
    int protocol) {

  /** What a rule does with the packets it applies to. */
  public enum Action {
    /** Look up a table; go on to the next rule if that has no route. */
    LOOKUP(1),
    /** Drop without a word. */
    BLACKHOLE(6),
    /** One of the actions that are not used here. */
    OTHER(0);

    final int code;

    Action(int code) {
      this.code = code;
    }

    static Action of(int code) {
      return switch (code) {
        case 1 -> LOOKUP;
        case 6 -> BLACKHOLE;
        default -> OTHER;
      };
    }
  }

  /** A rule of ours: every packet looks up the table. */
  public static Rule lookup(int priority, int table) {
    return new Rule(
        priority, Ip6Address.UNSPECIFIED, 0, "", false, Action.LOOKUP, table, Netlink.PROTOCOL);
  }

  /** A rule of ours: packets from one address that came in by one interface look up the table. */
  public static Rule from(Ip6Address source, String inputInterface, int priority, int table) {
    return new Rule(
        priority, source, 128, inputInterface, false, Action.LOOKUP, table, Netlink.PROTOCOL);
  }

  /** A rule of ours: packets that did not originate on this host are dropped. */
  public static Rule blackholeForwarded(int priority) {
    return new Rule(
        priority, Ip6Address.UNSPECIFIED, 0, "lo", true, Action.BLACKHOLE, 0, Netlink.PROTOCOL);
  }

  @Override
  public String toString() {
    return priority
        + (inverted ? ": not from " : ": from ")
        + (sourceLength == 0 ? "all" : source + "/" + sourceLength)
        + (inputInterface.isEmpty() ? "" : " iif " + inputInterface)
        + (action == Action.LOOKUP ? " lookup " + table : " " + action);
  }
}
