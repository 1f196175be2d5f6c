package org.ilnp4j.pkt;

import java.util.List;
import java.util.stream.Collectors;

/** An argument or result of a socket call, as written. */
sealed interface Arg {
  /** {@code ...}: anything. */
  record Any() implements Arg {
    @Override
    public String toString() {
      return "...";
    }
  }

  record Int(long value) implements Arg {
    @Override
    public String toString() {
      return Long.toString(value);
    }
  }

  record Str(String value) implements Arg {
    @Override
    public String toString() {
      return '"' + value + '"';
    }
  }

  /** Symbols, more than one when joined by {@code |}. */
  record Words(List<String> names) implements Arg {
    @Override
    public String toString() {
      return String.join("|", names);
    }
  }

  record Array(List<Arg> items) implements Arg {
    @Override
    public String toString() {
      return items.toString();
    }
  }

  /** {@code {a=1, b(...)=2, 3}}; a member without name has the name "". */
  record Struct(List<Member> members) implements Arg {
    @Override
    public String toString() {
      return members.stream().map(Member::toString).collect(Collectors.joining(", ", "{", "}"));
    }

    /** The member of that name, or null. */
    Arg get(String name) {
      for (Member m : members) {
        if (m.name.equals(name)) {
          return m.value;
        }
      }
      return null;
    }
  }

  record Member(String name, Arg value) {
    @Override
    public String toString() {
      return name.isEmpty() ? value.toString() : name + "=" + value;
    }
  }

  /** {@code htons(80)}. */
  record Call(String function, List<Arg> arguments) implements Arg {}

  /** The number meant, or ScriptStop. Of an array, its only item; of {@code htons(n)}, n. */
  static long number(Arg a) {
    if (a instanceof Int i) {
      return i.value;
    }
    if (a instanceof Array l && l.items.size() == 1) {
      return number(l.items.get(0));
    }
    if (a instanceof Call c && c.arguments.size() == 1) {
      return number(c.arguments.get(0));
    }
    throw ScriptStop.syntax("a number", String.valueOf(a));
  }

  static boolean isNumber(Arg a) {
    return a instanceof Int
        || (a instanceof Array l && l.items.size() == 1 && isNumber(l.items.get(0)))
        || (a instanceof Call c && c.arguments.size() == 1 && isNumber(c.arguments.get(0)));
  }

  /** The struct it must be, or ScriptStop. */
  static Struct struct(Arg a) {
    if (a instanceof Struct s) {
      return s;
    }
    throw ScriptStop.syntax("a struct in braces", String.valueOf(a));
  }

  /** True when {@code name} is the symbol or among those joined. */
  static boolean has(Arg a, String name) {
    return a instanceof Words w && w.names.contains(name);
  }

  /** The only symbol, or "". */
  static String word(Arg a) {
    if (a instanceof Array l && l.items.size() == 1) {
      return word(l.items.get(0));
    }
    return a instanceof Words w && w.names.size() == 1 ? w.names.get(0) : "";
  }
}
