package org.ilnp4j.pkt;

/** Ends a script before its last line: something differed, or cannot be done. */
final class ScriptStop extends RuntimeException {
  private static final long serialVersionUID = 1;

  final transient Verdict verdict;

  /** What kind of thing it was, in few words: scripts are counted by it. */
  final String kind;

  final String expected;
  final String got;

  private ScriptStop(Verdict verdict, String kind, String expected, String got) {
    super(kind, null, false, false);
    this.verdict = verdict;
    this.kind = kind;
    this.expected = expected;
    this.got = got;
  }

  static ScriptStop fail(String kind, Object expected, Object got) {
    return new ScriptStop(Verdict.FAIL, kind, String.valueOf(expected), String.valueOf(got));
  }

  static ScriptStop unsupported(String reason) {
    return new ScriptStop(Verdict.UNSUPPORTED, reason, "", "");
  }

  /** The script cannot be read. */
  static ScriptStop syntax(String expected, String got) {
    return new ScriptStop(Verdict.UNSUPPORTED, "not understood", expected, got);
  }
}
