package org.ilnp4j.pkt;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.ilnp4j.pkt.Event.Code;
import org.ilnp4j.pkt.Event.IcmpSpec;
import org.ilnp4j.pkt.Event.LinkEvent;
import org.ilnp4j.pkt.Event.Shell;
import org.ilnp4j.pkt.Event.UpdateSpec;
import org.ilnp4j.pkt.Event.When;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.LocatorUpdate;
import org.ilnp4j.wire.TcpHeader;

/** Plays one script. */
final class ScriptRunner implements Sockets.Watcher {
  private static final long DEFAULT_TOLERANCE_MICROS = 4000;
  private static final double DEFAULT_TOLERANCE_PERCENT = 12.5;

  /** A packet that is this much late is looked for no longer. */
  private static final long PATIENCE_MICROS = 2_000_000;

  private static final long ANY_TIME_MICROS = 3_600_000_000L;
  private static final int FIRST_PORT = 40_000;
  private static final int DEFAULT_MTU = 1500;

  /** A call that has not returned yet. */
  private static final class Blocked {
    final Event event;
    final SysCall call;
    final Result.Attempt attempt;
    final long endMicros;
    final long toleranceMicros;
    Result result;
    long doneMicros;

    Blocked(
        Event event, SysCall call, Result.Attempt attempt, long endMicros, long toleranceMicros) {
      this.event = event;
      this.call = call;
      this.attempt = attempt;
      this.endMicros = endMicros;
      this.toleranceMicros = toleranceMicros;
    }
  }

  private final Script script;
  private final Settings settings;
  private final ShellTable shell;
  private final Assertions assertions = new Assertions();
  private final boolean ipv4;
  private final boolean ilnp;
  private final boolean strictSegments;
  private final boolean strictEnd;
  private final long toleranceMicros;
  private final double tolerancePercent;
  private final PacketCheck check;

  private Machine machine;
  private Sockets sockets;
  private Wire wire;
  private Blocked blocked;
  private int line;
  private long lastMicros;
  private Event lastEvent;

  // ---- the connection packets belong to ----
  private Flow flow;
  private boolean listening;
  private int listenPort = Sock.DEFAULT_PORT;
  private Sock underTest;
  private int nextPort = FIRST_PORT;
  private final Map<Integer, Flow> byPeerPort = new HashMap<>();
  private Segment lastSent;
  private Segment lastUpdate;

  private ScriptRunner(Script script, Profile profile, List<String> sysctls, boolean strictEnd) {
    this.script = script;
    this.strictEnd = strictEnd;
    settings = new Settings(profile);
    shell = new ShellTable(settings);
    sysctls.forEach(shell::assign);
    ilnp = script.option("mode", "classic").equals("ilnp");
    ipv4 = !ilnp && !script.option("ip_version", "ipv4").equals("ipv6");
    strictSegments = script.options().containsKey("strict_segments");
    toleranceMicros = number("tolerance_usecs", DEFAULT_TOLERANCE_MICROS);
    tolerancePercent = number("tolerance_percent", (long) DEFAULT_TOLERANCE_PERCENT);
    check =
        new PacketCheck(number("tcp_ts_tick_usecs", 0), toleranceMicros, profile == Profile.ILNP4J);
  }

  /**
   * Plays the script in a file; never throws.
   *
   * @param sysctls {@code name=value}, to begin with
   * @param strictEnd a packet that no line expects is a failure, at the end too
   */
  static Outcome play(
      Path file, String name, Profile profile, List<String> sysctls, boolean strictEnd) {
    int[] line = {0};
    return play(
        name, profile, sysctls, strictEnd, line, () -> Script.read(file, profile.defined(), line));
  }

  /** Plays a script; never throws. */
  static Outcome play(String text, Profile profile) {
    return play("script", profile, List.of(), true, new int[] {0}, () -> Script.parse(text));
  }

  private static Outcome play(
      String name,
      Profile profile,
      List<String> sysctls,
      boolean strictEnd,
      int[] line,
      Supplier<Script> source) {
    ScriptRunner runner = null;
    try {
      Script script = source.get();
      Profile own = Profile.byName(script.option("profile", profile.label()));
      runner = new ScriptRunner(script, own, sysctls, strictEnd);
      runner.run();
      return runner.end(name, null);
    } catch (ScriptStop stop) {
      return runner == null ? outcome(name, line[0], stop) : runner.end(name, stop);
    } catch (RuntimeException | StackOverflowError e) {
      String at = e.getStackTrace().length > 0 ? " at " + e.getStackTrace()[0] : "";
      ScriptStop stop = ScriptStop.fail("exception", "none", e + at);
      return runner == null ? outcome(name, line[0], stop) : runner.end(name, stop);
    }
  }

  private static Outcome outcome(String name, int line, ScriptStop s) {
    return new Outcome(name, s.verdict, line, s.kind, s.expected, s.got);
  }

  private Outcome end(String name, ScriptStop stop) {
    String left = null;
    try {
      left = machine == null ? null : machine.close();
    } catch (RuntimeException e) {
      left = e.toString();
    }
    if (stop == null && left != null) {
      return new Outcome(name, Verdict.FAIL, line, "left behind", "nothing", left);
    }
    if (stop != null && stop.verdict == Verdict.FAIL && !settings.ignored.isEmpty()) {
      String why = "depends on " + settings.ignored.iterator().next();
      return new Outcome(name, Verdict.UNSUPPORTED, line, why, stop.expected, stop.got);
    }
    return stop == null
        ? new Outcome(name, Verdict.PASS, 0, "", "", "")
        : outcome(name, line, stop);
  }

  private long number(String option, long otherwise) {
    try {
      return Long.parseLong(script.option(option, Long.toString(otherwise)).strip());
    } catch (NumberFormatException e) {
      throw ScriptStop.syntax("a whole number for --" + option, script.option(option, ""));
    }
  }

  // ---- events ---------------------------------------------------------------------------------

  private void run() {
    for (String o : List.of("udp_encapsulation", "psp_udp_port", "tcp_md5_secret")) {
      if (script.options().containsKey(o)) {
        throw ScriptStop.unsupported("option --" + o);
      }
    }
    for (Event e : script.events()) {
      line = e.line();
      event(e);
      lastEvent = e;
    }
    awaitBlocked();
    if (strictEnd && machine != null && !machine.sent.isEmpty()) {
      Segment s = machine.sent.peek();
      throw ScriptStop.fail("packet sent", "the end", PacketCheck.describe(flow, s, null));
    }
  }

  private void event(Event e) {
    long at = startMicros(e);
    if (e.action() instanceof Shell s) {
      waitFor(at);
      shell.run(s.command(), machine);
      return;
    }
    if (e.action() instanceof PacketSpec p && !p.inbound()) {
      expect(e, at, p);
      return;
    }
    if (e.action() instanceof UpdateSpec u && !u.inbound()) {
      expectUpdate(e, at, u);
      return;
    }
    waitFor(at);
    if (e.action() instanceof Code c) {
      assertions.run(c.text(), InfoValues.of(underTest, flow != null && flow.isScaled()));
    } else if (e.action() instanceof PacketSpec p) {
      inject(p);
    } else if (e.action() instanceof IcmpSpec i) {
      machine().deliver(wire.icmp(flow(0), i, lastSent));
    } else if (e.action() instanceof UpdateSpec u) {
      update(u);
    } else if (e.action() instanceof LinkEvent l) {
      machine().link(l.uplink(), l.what());
    } else if (e.action() instanceof SysCall c) {
      call(e, at, c);
    }
  }

  private Machine machine() {
    if (machine == null) {
      int mtu = (int) number("mtu", DEFAULT_MTU) + (ipv4 ? Wire.IPV4_DIFFERENCE : 0);
      int mss = mtu - Ip6.HEADER_BYTES - TcpHeader.MIN_BYTES;
      try {
        machine = new Machine(ilnp, mtu, settings.fix(Math.max(1, mss)));
      } catch (IllegalArgumentException bad) {
        throw ScriptStop.unsupported(bad.getMessage());
      }
      machine.advanceTo(lastMicros);
      machine.afterTurn = this::retryBlocked;
      wire = new Wire(machine, ipv4);
      sockets = new Sockets(machine, settings, ipv4, this);
    }
    return machine;
  }

  // ---- time -----------------------------------------------------------------------------------

  private long nowMicros() {
    return machine == null ? lastMicros : machine.micros();
  }

  private static boolean isInbound(Event e) {
    return e.action() instanceof PacketSpec p && p.inbound();
  }

  /** When the event is due. Packets to the stack follow each other exactly. */
  private long startMicros(Event e) {
    if (!e.time().relative()) {
      return e.time().micros();
    }
    boolean exact = lastEvent != null && isInbound(lastEvent) && isInbound(e);
    return (exact ? lastMicros : nowMicros()) + e.time().micros();
  }

  private void waitFor(long micros) {
    if (machine != null) {
      machine.advanceTo(micros);
    }
    lastMicros = Math.max(lastMicros, micros);
  }

  private long tolerance(long micros) {
    return Math.max(toleranceMicros, (long) (tolerancePercent / 100 * (micros - lastMicros)));
  }

  // ---- calls ----------------------------------------------------------------------------------

  private void call(Event e, long at, SysCall c) {
    awaitBlocked();
    machine();
    Result.Attempt attempt = sockets.start(c);
    Result r = attempt.now();
    machine.turn();
    if (r == Result.BLOCKS) {
      r = attempt.now();
    }
    if (r != Result.BLOCKS && !c.mayBlock()) {
      compare(c, r);
      return;
    }
    if (!c.mayBlock()) {
      throw ScriptStop.fail("call " + c.name(), c.result() + " " + c.errno(), "it blocks");
    }
    long base = e.time().relative() ? at - e.time().micros() : 0;
    long end = base + c.endMicros();
    blocked = new Blocked(e, c, attempt, end, Math.max(tolerance(end), toleranceMicros));
    if (r != Result.BLOCKS) {
      blocked.result = r;
      blocked.doneMicros = machine.micros();
    }
  }

  private void retryBlocked() {
    if (blocked != null && blocked.result == null) {
      Result r = blocked.attempt.now();
      if (r != Result.BLOCKS) {
        blocked.result = r;
        blocked.doneMicros = machine.micros();
      }
    }
  }

  /** A call that blocks must have returned before the next one. */
  private void awaitBlocked() {
    if (blocked == null) {
      return;
    }
    Blocked b = blocked;
    int here = line;
    line = b.event.line();
    if (b.result == null) {
      machine.advanceTo(b.endMicros + b.toleranceMicros);
      retryBlocked();
    }
    blocked = null;
    if (b.result == null) {
      throw ScriptStop.fail("call " + b.call.name(), b.call.result(), "it still blocks");
    }
    compare(b.call, b.result);
    if (Math.abs(b.doneMicros - b.endMicros) > b.toleranceMicros) {
      throw ScriptStop.fail(
          "time of return of " + b.call.name(), seconds(b.endMicros), seconds(b.doneMicros));
    }
    line = here;
  }

  private static void compare(SysCall c, Result r) {
    boolean value =
        c.result() instanceof Arg.Any
            || (Arg.isNumber(c.result()) && Arg.number(c.result()) == r.value());
    boolean error = c.errno().isEmpty() || Sock.isSameError(c.errno(), r.errno());
    if (!value || !error) {
      throw ScriptStop.fail("call " + c.name(), (c.result() + " " + c.errno()).strip(), r);
    }
  }

  static String seconds(long micros) {
    return String.format(Locale.ROOT, "%.6f s", micros / 1e6);
  }

  // ---- packets to the stack -------------------------------------------------------------------

  @Override
  public void onSocket(Sock s) {
    underTest = s;
    flow = null;
    listening = false;
  }

  @Override
  public void onListen(int port) {
    flow = null;
    listening = true;
    listenPort = port;
  }

  @Override
  public void onConnect(Sock s) {
    listening = false;
    underTest = s;
    int port = s.connection.remotePort();
    flow = new Flow(s.connection.localPort(), port, number("remote_isn", 0));
    byPeerPort.put(port, flow);
  }

  @Override
  public void onChild(Sock child) {
    underTest = child;
  }

  /** The flow of the peer's port, 0 for the one at work; made when there is none. */
  private Flow flow(int peerPort) {
    machine();
    if (peerPort > 0) {
      flow =
          byPeerPort.computeIfAbsent(
              peerPort, p -> new Flow(listenPort, p, number("remote_isn", 0)));
    } else if (flow == null || listening) {
      int port = nextPort++;
      flow = new Flow(listenPort, port, number("remote_isn", 0));
      byPeerPort.put(port, flow);
    }
    listening = false;
    return flow;
  }

  private void inject(PacketSpec p) {
    Flow f = flow(p.srcPort());
    if (p.has(TcpHeader.SYN)) {
      f.remoteSyn(p.seq(), p.options());
    }
    machine.deliver(wire.segment(f, p));
  }

  private void update(UpdateSpec u) {
    machine();
    if (u.acknowledgement() && lastUpdate == null) {
      throw ScriptStop.syntax("a Locator Update to acknowledge", "none sent yet");
    }
    machine.deliver(wire.update(u, lastUpdate));
  }

  // ---- packets from the stack -----------------------------------------------------------------

  private void expect(Event e, long at, PacketSpec p) {
    Flow f = flow != null && p.dstPort() == 0 ? flow : flow(p.dstPort());
    List<Segment> parts = new ArrayList<>();
    int length = 0;
    do {
      Segment s = next(e, at, f, p);
      if (s.tcp == null) {
        throw ScriptStop.fail("packet sent", p, PacketCheck.describe(f, s, p));
      }
      parts.add(s);
      length += s.tcp.payloadLength;
      lastSent = s;
    } while (length < p.length()
        && !strictSegments
        && parts.get(0).tcp.payloadLength > 0
        && matchesSoFar(f, p, parts));
    check.segments(f, p, parts);
    timing(e, at, parts.get(parts.size() - 1));
  }

  /** No use waiting for more of a packet that began wrong. */
  private static boolean matchesSoFar(Flow f, PacketSpec p, List<Segment> parts) {
    Segment first = parts.get(0);
    boolean syn = first.has(TcpHeader.SYN);
    return f.scriptSeqOut(first.tcp.seq, syn) == p.seq()
        && parts.get(parts.size() - 1).tcp.payloadLength > 0;
  }

  /** The next packet of the flow, or of none; those of other flows are passed over. */
  private Segment next(Event e, long at, Flow f, Object expected) {
    machine();
    When w = e.time();
    long limit =
        w.any()
            ? nowMicros() + ANY_TIME_MICROS
            : (w.isRange() ? at - w.micros() + w.endMicros() : at) + PATIENCE_MICROS;
    while (true) {
      machine.awaitPacket(limit);
      Segment s = machine.sent.poll();
      if (s == null) {
        throw ScriptStop.fail("no packet sent", expected, "none until " + seconds(limit));
      }
      if (s.tcp == null || f.carries(s)) {
        return s;
      }
    }
  }

  private void timing(Event e, long at, Segment s) {
    When w = e.time();
    long micros = machine.micros() - (machine.now - s.atNanos) / 1000;
    long end = w.isRange() ? at - w.micros() + w.endMicros() : at;
    long slack = tolerance(end);
    if (!w.any() && (micros < at - slack || micros > end + slack)) {
      String expected = seconds(at) + (w.isRange() ? "~" + seconds(end) : "");
      throw ScriptStop.fail("time of packet", expected, seconds(micros));
    }
    lastMicros = w.any() ? nowMicros() : at;
  }

  private void expectUpdate(Event e, long at, UpdateSpec u) {
    Segment s = next(e, at, flow, u.acknowledgement() ? "lu-ack" : "lu" + u.locators());
    int operation =
        u.acknowledgement() ? LocatorUpdate.ACKNOWLEDGEMENT : LocatorUpdate.ADVERTISEMENT;
    boolean same =
        s.update != null
            && s.update.operation == operation
            && (u.acknowledgement() || PacketCheck.locators(s).equals(u.locators()));
    if (!same) {
      throw ScriptStop.fail(
          "packet sent",
          u.acknowledgement() ? "lu-ack" : "lu" + u.locators(),
          PacketCheck.describe(flow, s, null));
    }
    PacketCheck.ip(s, u.ip());
    lastUpdate = u.acknowledgement() ? lastUpdate : s;
    timing(e, at, s);
  }
}
