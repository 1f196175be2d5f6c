package org.ilnp4j.pkt;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The part of Python that scripts use between {@code %{} and {@code }%}: {@code assert} with
 * comparisons (chained too), {@code and or not}, arithmetic and bit operations, {@code abs min
 * max}; assignments; {@code print} is ignored. All values are numbers.
 */
final class Assertions {
  private static final int MAX_STATEMENTS = 1000;

  /** Variables a script has set; they last to its end. */
  private final Map<String, Double> own = new LinkedHashMap<>();

  private Map<String, Double> given = Map.of();

  /** Names used by the statement at work, with their values, for the message. */
  private final Map<String, Double> used = new TreeMap<>();

  /** Evaluates one piece of code; ScriptStop when an assertion does not hold. */
  void run(String code, Map<String, Double> values) {
    given = values;
    List<String> statements = statements(code);
    if (statements.size() > MAX_STATEMENTS) {
      throw ScriptStop.unsupported("more than " + MAX_STATEMENTS + " statements of Python");
    }
    for (String s : statements) {
      statement(s.strip());
    }
  }

  /** Cuts at line ends and semicolons outside of brackets; drops remarks and joined lines. */
  private static List<String> statements(String code) {
    List<String> all = new ArrayList<>();
    StringBuilder now = new StringBuilder();
    int depth = 0;
    char quote = 0;
    for (int i = 0; i < code.length(); i++) {
      char c = code.charAt(i);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
        now.append(c);
      } else if (c == '\'' || c == '"') {
        quote = c;
        now.append(c);
      } else if (c == '#'
          || (c == '/'
              && i + 1 < code.length()
              && code.charAt(i + 1) == '/'
              && depth == 0
              && isBlank(now))) {
        while (i + 1 < code.length() && code.charAt(i + 1) != '\n') {
          i++;
        }
      } else if (c == '\\') {
        while (i + 1 < code.length() && Character.isWhitespace(code.charAt(i + 1))) {
          i++;
        }
        now.append(' ');
      } else if ((c == '\n' || c == ';') && depth <= 0) {
        all.add(now.toString());
        now.setLength(0);
      } else {
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        now.append(c);
      }
    }
    all.add(now.toString());
    all.removeIf(String::isBlank);
    return all;
  }

  private static boolean isBlank(StringBuilder s) {
    return s.toString().isBlank();
  }

  private void statement(String s) {
    if (s.startsWith("print") || s.startsWith("import ") || s.equals("pass")) {
      return;
    }
    used.clear();
    if (s.startsWith("assert") && s.length() > 6 && !Character.isLetterOrDigit(s.charAt(6))) {
      Expression e = new Expression(s.substring(6));
      double value = e.whole();
      if (value == 0) {
        StringBuilder got = new StringBuilder();
        used.forEach(
            (k, v) ->
                got.append(got.isEmpty() ? "" : ", ").append(k).append(" = ").append(text(v)));
        throw ScriptStop.fail(
            "assertion", e.text.substring(0, e.at).strip(), got.isEmpty() ? "nothing else" : got);
      }
      return;
    }
    int i = s.indexOf('=');
    if (i > 0 && !s.startsWith("==", i)) {
      String name = s.substring(0, i).strip();
      boolean add = name.endsWith("+");
      boolean subtract = name.endsWith("-");
      name = add || subtract ? name.substring(0, name.length() - 1).strip() : name;
      if (name.matches("[A-Za-z_]\\w*")) {
        double v = new Expression(s.substring(i + 1)).whole();
        double before = add || subtract ? value(name) : 0;
        own.put(name, subtract ? before - v : before + v);
        return;
      }
    }
    throw ScriptStop.unsupported("Python \"" + s.split("\\s", 2)[0] + "\"");
  }

  private static String text(double v) {
    return v == Math.rint(v) && Math.abs(v) < 1e15 ? Long.toString((long) v) : Double.toString(v);
  }

  private double value(String name) {
    Double v = own.containsKey(name) ? own.get(name) : given.get(name);
    if (v == null) {
      throw ScriptStop.unsupported("\"" + name + "\" in an assertion");
    }
    used.put(name, v);
    return v;
  }

  /** Recursive descent over one expression; ends before a comma, which begins the message. */
  private final class Expression {
    private static final int MAX_DEPTH = 64;

    private static final Set<String> COMPARISONS = Set.of("==", "!=", "<=", ">=", "<", ">");

    final String text;
    int at;
    private int depth;

    Expression(String text) {
      this.text = text;
    }

    double whole() {
      double v = or();
      skip();
      if (at < text.length() && text.charAt(at) != ',') {
        throw wrong();
      }
      return v;
    }

    private ScriptStop wrong() {
      return ScriptStop.syntax(
          "an expression", at < text.length() ? "\"" + text.substring(at) + "\"" : "its end");
    }

    private void skip() {
      while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
        at++;
      }
    }

    private boolean take(String s) {
      skip();
      if (!text.startsWith(s, at)) {
        return false;
      }
      if (Character.isLetter(s.charAt(0))
          && at + s.length() < text.length()
          && Character.isLetterOrDigit(text.charAt(at + s.length()))) {
        return false;
      }
      at += s.length();
      return true;
    }

    private double or() {
      if (++depth > MAX_DEPTH) {
        throw ScriptStop.unsupported("an expression nested more than " + MAX_DEPTH + " deep");
      }
      double v = and();
      while (take("or")) {
        double w = and();
        v = v != 0 ? v : w;
      }
      depth--;
      return v;
    }

    private double and() {
      double v = not();
      while (take("and")) {
        double w = not();
        v = v == 0 ? v : w;
      }
      return v;
    }

    private double not() {
      return take("not") ? not() == 0 ? 1 : 0 : comparison();
    }

    private double comparison() {
      double left = bits();
      boolean compared = false;
      boolean holds = true;
      for (String op = comparator(); op != null; op = comparator()) {
        double right = bits();
        holds &=
            switch (op) {
              case "==" -> left == right;
              case "!=" -> left != right;
              case "<=" -> left <= right;
              case ">=" -> left >= right;
              case "<" -> left < right;
              default -> left > right;
            };
        compared = true;
        left = right;
      }
      return compared ? holds ? 1 : 0 : left;
    }

    private String comparator() {
      skip();
      for (int n = 2; n > 0; n--) {
        String op = text.substring(at, Math.min(text.length(), at + n));
        if (op.length() == n && COMPARISONS.contains(op) && !text.startsWith(op + op, at)) {
          at += n;
          return op;
        }
      }
      return null;
    }

    private double bits() {
      double v = shift();
      while (true) {
        if (take("|")) {
          v = (long) v | (long) shift();
        } else if (take("&")) {
          v = (long) v & (long) shift();
        } else if (take("^")) {
          v = (long) v ^ (long) shift();
        } else {
          return v;
        }
      }
    }

    private double shift() {
      double v = sum();
      while (true) {
        if (take("<<")) {
          v = (long) v << (long) sum();
        } else if (take(">>")) {
          v = (long) v >> (long) sum();
        } else {
          return v;
        }
      }
    }

    private double sum() {
      double v = product();
      while (true) {
        if (take("+")) {
          v += product();
        } else if (take("-")) {
          v -= product();
        } else {
          return v;
        }
      }
    }

    private double product() {
      double v = unary();
      while (true) {
        if (take("*")) {
          v *= unary();
        } else if (take("//")) {
          v = Math.floor(v / unary());
        } else if (take("/")) {
          v /= unary();
        } else if (take("%")) {
          double d = unary();
          v -= d * Math.floor(v / d);
        } else {
          return v;
        }
      }
    }

    private double unary() {
      if (++depth > MAX_DEPTH) {
        throw ScriptStop.unsupported("an expression nested more than " + MAX_DEPTH + " deep");
      }
      double v = take("-") ? -unary() : take("~") ? ~(long) unary() : primary();
      depth--;
      return v;
    }

    private double primary() {
      if (take("(")) {
        double v = or();
        if (!take(")")) {
          throw wrong();
        }
        return v;
      }
      skip();
      int from = at;
      while (at < text.length()
          && (Character.isLetterOrDigit(text.charAt(at))
              || text.charAt(at) == '_'
              || text.charAt(at) == '.')) {
        at++;
      }
      String word = text.substring(from, at);
      if (word.isEmpty()) {
        throw wrong();
      }
      if (Character.isDigit(word.charAt(0)) || word.charAt(0) == '.') {
        return number(word);
      }
      if (word.equals("True") || word.equals("False")) {
        return word.equals("True") ? 1 : 0;
      }
      return take("(") ? call(word) : value(word);
    }

    private double number(String word) {
      try {
        return word.startsWith("0x") || word.startsWith("0X")
            ? Long.parseLong(word.substring(2), 16)
            : Double.parseDouble(word);
      } catch (NumberFormatException e) {
        throw ScriptStop.syntax("a number", word);
      }
    }

    private double call(String function) {
      List<Double> v = new ArrayList<>();
      do {
        v.add(or());
      } while (take(","));
      if (!take(")")) {
        throw wrong();
      }
      return switch (function) {
        case "abs" -> Math.abs(v.get(0));
        case "int", "float" -> function.equals("int") ? (long) (double) v.get(0) : v.get(0);
        case "min" -> v.stream().mapToDouble(x -> x).min().orElseThrow();
        case "max" -> v.stream().mapToDouble(x -> x).max().orElseThrow();
        default -> throw ScriptStop.unsupported("function " + function + " in an assertion");
      };
    }
  }
}
