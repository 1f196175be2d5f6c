package org.ilnp4j.pkt;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ilnp4j.pkt.Event.Action;
import org.ilnp4j.pkt.Event.When;

/** Reads the frame of a script: options, times, and which kind of action follows. */
final class ScriptParser {
  private static final int MAX_EVENTS = 20_000;

  private final Cursor in;
  private final PacketParser packets;
  private final CallParser calls;
  private final Map<String, String> options = new LinkedHashMap<>();

  ScriptParser(String text) {
    in = new Cursor(text);
    packets = new PacketParser(in);
    calls = new CallParser(in);
  }

  /** Where it is, for messages. */
  int line() {
    return in.line();
  }

  Script parse() {
    while (in.isNext("--")) {
      option();
    }
    List<Event> events = new ArrayList<>();
    while (!in.atEnd()) {
      if (events.size() >= MAX_EVENTS) {
        throw ScriptStop.unsupported("a script of more than " + MAX_EVENTS + " events");
      }
      int eventLine = in.line();
      if (in.isNext("`")) {
        events.add(new Event(eventLine, When.NOW, shell()));
        continue;
      }
      When when = time();
      long end = in.take("...") ? in.seconds() : -1;
      events.add(new Event(eventLine, when, action(end)));
    }
    return new Script(options, events);
  }

  private void option() {
    in.expect("--");
    String name = in.word();
    String value = "";
    if (in.charAt(0) == '=') {
      in.position(in.position() + 1);
      value = in.charAt(0) == '"' ? in.quoted() : in.run();
    }
    options.put(name, value);
  }

  private When time() {
    if (in.take("*")) {
      return When.ANY;
    }
    boolean relative = in.take("+");
    long micros = in.seconds();
    if (!in.take("~")) {
      return new When(relative, false, micros, -1);
    }
    in.take("+");
    long end = in.seconds();
    if (end < micros) {
      throw ScriptStop.syntax("a time range that goes forward", micros + "~" + end + " us");
    }
    return new When(relative, false, micros, end);
  }

  private Action action(long endMicros) {
    char c = in.peek();
    if (c == '<' || c == '>') {
      return packets.parse();
    }
    if (c == '`') {
      return shell();
    }
    if (in.take("%{")) {
      return new Event.Code(in.until("}%"));
    }
    if (in.takeWord("link")) {
      String uplink = in.word();
      String what = in.word();
      if (!List.of("up", "down", "soft", "hard").contains(what)) {
        throw ScriptStop.syntax("link NAME up, down, soft or hard", what);
      }
      return new Event.LinkEvent(uplink, what);
    }
    if (!in.isWordNext()) {
      throw in.wrong("a packet, a call, a command or an assertion");
    }
    return calls.parse(endMicros);
  }

  private Event.Shell shell() {
    in.expect("`");
    return new Event.Shell(in.until("`").strip());
  }
}
