package org.ilnp4j.pkt;

/**
 * What became of one script.
 *
 * @param script its file
 * @param line where it stopped, 0 when it passed
 * @param kind what stopped it, in few words
 * @param expected what the script says; empty when that says nothing
 * @param got what happened instead
 */
record Outcome(String script, Verdict verdict, int line, String kind, String expected, String got) {
  /** The reason in one line. */
  String reason() {
    return expected.isEmpty() && got.isEmpty()
        ? kind
        : kind + ": expected " + expected + ", got " + got;
  }
}
