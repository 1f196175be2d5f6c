package org.ilnp4j.pkt;

import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.pkt.Arg.Any;
import org.ilnp4j.pkt.Arg.Array;
import org.ilnp4j.pkt.Arg.Call;
import org.ilnp4j.pkt.Arg.Int;
import org.ilnp4j.pkt.Arg.Member;
import org.ilnp4j.pkt.Arg.Str;
import org.ilnp4j.pkt.Arg.Struct;
import org.ilnp4j.pkt.Arg.Words;

/** Reads socket calls: {@code name(arguments) = result ERRNO (remark)}. */
final class CallParser {
  private static final int MAX_DEPTH = 16;

  private final Cursor in;
  private int depth;

  CallParser(Cursor in) {
    this.in = in;
  }

  SysCall parse(long endMicros) {
    String name = in.word();
    List<Arg> arguments = list("(", ")");
    in.expect("=");
    Arg result = value();
    String errno = "";
    if (in.isWordNext() && Character.isUpperCase(in.peek())) {
      errno = in.word();
    }
    if (in.take("(")) {
      in.until(")");
    }
    return new SysCall(endMicros, name, arguments, result, errno);
  }

  private List<Arg> list(String open, String close) {
    in.expect(open);
    List<Arg> items = new ArrayList<>();
    if (in.take(close)) {
      return items;
    }
    if (++depth > MAX_DEPTH) {
      throw ScriptStop.syntax("fewer brackets within brackets", "more than " + MAX_DEPTH);
    }
    do {
      items.add(value());
    } while (in.take(","));
    in.expect(close);
    depth--;
    return items;
  }

  private Arg value() {
    Arg first = single();
    if (!in.isNext("|")) {
      return first;
    }
    List<String> names = new ArrayList<>(names(first));
    while (in.take("|")) {
      names.addAll(names(single()));
    }
    return new Words(names);
  }

  private static List<String> names(Arg a) {
    return a instanceof Words w ? w.names() : List.of(a.toString());
  }

  private Arg single() {
    char c = in.peek();
    if (in.take("...")) {
      return new Any();
    }
    if (c == '[') {
      return new Array(list("[", "]"));
    }
    if (c == '{') {
      return struct();
    }
    if (c == '"') {
      StringBuilder s = new StringBuilder();
      while (in.peek() == '"') {
        s.append(in.quoted());
      }
      in.take("...");
      return new Str(s.toString());
    }
    if (c == '-' || Character.isDigit(c)) {
      return new Int(in.integer());
    }
    String word = in.word();
    if (in.peek() == '(') {
      return new Call(word, list("(", ")"));
    }
    return new Words(List.of(word));
  }

  private Struct struct() {
    in.expect("{");
    List<Member> members = new ArrayList<>();
    if (in.take("}")) {
      return new Struct(members);
    }
    if (++depth > MAX_DEPTH) {
      throw ScriptStop.syntax("fewer braces within braces", "more than " + MAX_DEPTH);
    }
    do {
      Arg left = value();
      if (in.take("=")) {
        String name = left instanceof Call call ? call.function() : left.toString();
        members.add(new Member(name, value()));
      } else {
        members.add(new Member("", left));
      }
    } while (in.take(","));
    in.expect("}");
    depth--;
    return new Struct(members);
  }
}
