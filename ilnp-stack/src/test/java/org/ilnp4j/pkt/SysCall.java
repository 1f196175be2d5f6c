package org.ilnp4j.pkt;

import java.util.List;

/**
 * A socket call.
 *
 * @param endMicros when a blocking call returns, counted like the time of its event; -1 when it
 *     does not block
 * @param errno symbol of the error expected, or ""
 */
record SysCall(long endMicros, String name, List<Arg> arguments, Arg result, String errno)
    implements Event.Action {
  Arg arg(int i) {
    if (i >= arguments.size()) {
      throw ScriptStop.syntax(name + " with more arguments", arguments.size() + " of them");
    }
    return arguments.get(i);
  }

  boolean mayBlock() {
    return endMicros >= 0;
  }
}
