package org.ilnp4j.ilnp;

/** The text form of 64 bits as four groups of hex digits, shared by NIDs and Locators. */
final class Groups {
  private Groups() {}

  static String format(long v) {
    return String.format(
        "%x:%x:%x:%x", v >>> 48 & 0xffff, v >>> 32 & 0xffff, v >>> 16 & 0xffff, v & 0xffff);
  }

  /** Parses exactly four groups of one to four hex digits; {@code ::} is refused (RFC 6742 §2). */
  static long parse(String what, String text) {
    String[] groups = text.split(":", -1);
    if (groups.length != 4) {
      throw new IllegalArgumentException(
          what + " \"" + text + "\" must be four groups of hex digits, such as " + example(what));
    }
    long v = 0;
    for (String g : groups) {
      if (!g.matches("[0-9a-fA-F]{1,4}")) {
        throw new IllegalArgumentException(
            what + " \"" + text + "\": \"" + g + "\" is not one to four hex digits");
      }
      v = v << 16 | Integer.parseInt(g, 16);
    }
    return v;
  }

  private static String example(String what) {
    return what.equals("NID") ? "0214:4fff:feab:cd01" : "2001:db8:1:1";
  }
}
