package org.ilnp4j.pkt;

/** A place in the text of a script, and the small steps from there. Blanks include comments. */
final class Cursor {
  private final String text;
  private int at;

  /** Line ends are counted up to here. */
  private int counted;

  private int lines = 1;

  Cursor(String text) {
    this.text = text;
  }

  /** Line of the present place, from 1. */
  int line() {
    if (at < counted) {
      counted = 0;
      lines = 1;
    }
    for (; counted < at && counted < text.length(); counted++) {
      lines += text.charAt(counted) == '\n' ? 1 : 0;
    }
    return lines;
  }

  int position() {
    return at;
  }

  void position(int newAt) {
    at = newAt;
  }

  boolean atEnd() {
    skip();
    return at >= text.length();
  }

  /** Passes over blanks and comments. */
  void skip() {
    while (at < text.length()) {
      if (Character.isWhitespace(text.charAt(at))) {
        at++;
      } else if (text.startsWith("//", at)) {
        at = end("\n", text.length());
      } else if (text.startsWith("/*", at)) {
        at = end("*/", text.length());
      } else {
        return;
      }
    }
  }

  private int end(String mark, int otherwise) {
    int i = text.indexOf(mark, at + 2);
    return i < 0 ? otherwise : i + mark.length();
  }

  /** The next character after blanks, or 0 at the end. */
  char peek() {
    skip();
    return charAt(0);
  }

  /** The character at an offset, blanks not passed over, or 0. */
  char charAt(int offset) {
    return at + offset < text.length() ? text.charAt(at + offset) : 0;
  }

  boolean isNext(String s) {
    skip();
    return text.startsWith(s, at);
  }

  boolean take(String s) {
    if (!isNext(s)) {
      return false;
    }
    at += s.length();
    return true;
  }

  void expect(String s) {
    if (!take(s)) {
      throw wrong("\"" + s + "\"");
    }
  }

  ScriptStop wrong(String expected) {
    skip();
    int end = at;
    while (end < text.length() && end < at + 24 && text.charAt(end) != '\n') {
      end++;
    }
    return ScriptStop.syntax(
        expected, at >= text.length() ? "the end" : "\"" + text.substring(at, end) + "\"");
  }

  /** Everything up to a mark, which is passed over. */
  String until(String mark) {
    int i = text.indexOf(mark, at);
    if (i < 0) {
      throw ScriptStop.syntax("\"" + mark + "\"", "the end");
    }
    String s = text.substring(at, i);
    at = i + mark.length();
    return s;
  }

  private static boolean isWordPart(char c) {
    return c == '_' || Character.isLetterOrDigit(c);
  }

  boolean isWordNext() {
    char c = peek();
    return c == '_' || Character.isLetter(c);
  }

  /** Letters, digits and underscores. */
  String word() {
    skip();
    int from = at;
    while (at < text.length() && isWordPart(text.charAt(at))) {
      at++;
    }
    if (from == at) {
      throw wrong("a word");
    }
    return text.substring(from, at);
  }

  /** Takes the word when it is next as a whole. */
  boolean takeWord(String w) {
    skip();
    if (text.startsWith(w, at) && !isWordPart(charAt(w.length()))) {
      at += w.length();
      return true;
    }
    return false;
  }

  /** Everything up to the next blank. */
  String run() {
    skip();
    int from = at;
    while (at < text.length() && !Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return text.substring(from, at);
  }

  boolean isDigitNext() {
    return Character.isDigit(peek());
  }

  /** A decimal or hexadecimal whole number, with sign. */
  long integer() {
    skip();
    int from = at;
    if (charAt(0) == '-') {
      at++;
    }
    boolean hex = charAt(0) == '0' && (charAt(1) == 'x' || charAt(1) == 'X');
    if (hex) {
      at += 2;
    }
    int digits = at;
    while (at < text.length() && Character.digit(text.charAt(at), hex ? 16 : 10) >= 0) {
      at++;
    }
    if (at == digits || at - digits > 18) {
      at = from;
      throw wrong("a number");
    }
    long n = Long.parseLong(text.substring(digits, at), hex ? 16 : 10);
    return text.charAt(from) == '-' ? -n : n;
  }

  /** A decimal fraction of seconds, in microseconds; three dots behind it are left alone. */
  long seconds() {
    skip();
    int from = at;
    while (Character.isDigit(charAt(0))) {
      at++;
    }
    if (charAt(0) == '.' && Character.isDigit(charAt(1))) {
      at++;
      while (Character.isDigit(charAt(0))) {
        at++;
      }
    }
    if (at == from || at - from > 18) {
      at = from;
      throw wrong("a time");
    }
    return Math.round(Double.parseDouble(text.substring(from, at)) * 1e6);
  }

  /** What stands in double quotes. */
  String quoted() {
    expect("\"");
    StringBuilder s = new StringBuilder();
    while (charAt(0) != '"') {
      if (charAt(0) == 0) {
        throw ScriptStop.syntax("a closing quote", "the end");
      }
      if (charAt(0) == '\\' && charAt(1) != 0) {
        at++;
      }
      s.append(charAt(0));
      at++;
    }
    at++;
    return s.toString();
  }
}
