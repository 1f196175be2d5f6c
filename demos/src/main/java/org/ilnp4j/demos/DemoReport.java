package org.ilnp4j.demos;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.ilnp4j.demos.report.Claim;
import org.ilnp4j.demos.report.Figures;

/** What one demonstration measured. Times in milliseconds. */
record DemoReport(
    String network,
    String program,
    long bytes,
    boolean sha256Ok,
    double seconds,
    double goodputMbitPerSecond,
    double rttMillis,
    double usualGapMillis,
    List<HandoffReport> handoffs) {
  /** Beyond the usual gap, in a soft handoff. */
  static final double SOFT_GAP_LIMIT_MILLIS = 20;

  /** Beyond outage and round trip, in a hard one. */
  static final double HARD_GAP_LIMIT_MILLIS = 50;

  /** One move; outage is 0 for a soft one. */
  record HandoffReport(
      String kind,
      String from,
      String to,
      double gapMillis,
      double outageMillis,
      long lostPackets,
      long retransmittedSegments,
      double luRttMillis) {
    Map<String, Object> toMap() {
      Map<String, Object> m = new LinkedHashMap<>();
      m.put("kind", kind);
      m.put("from", from);
      m.put("to", to);
      m.put("gap_ms", Figures.round(gapMillis));
      m.put("outage_ms", Figures.round(outageMillis));
      m.put("lost_packets", lostPackets);
      m.put("retransmitted_segments", retransmittedSegments);
      m.put("lu_rtt_ms", luRttMillis < 0 ? null : Figures.round(luRttMillis));
      return m;
    }
  }

  /** What the demonstration promises, and whether this run kept it. */
  List<Claim> claims() {
    List<Claim> out = new ArrayList<>();
    out.add(Claim.atLeast("intact", "every octet arrived, SHA-256 equal", sha256Ok ? 1 : 0, 1));
    for (HandoffReport h : handoffs) {
      if (h.kind.equals("soft")) {
        out.add(
            Claim.atMost(
                "soft-gap",
                "soft: longest gap, ms, at most 20 ms beyond the usual",
                h.gapMillis,
                usualGapMillis + SOFT_GAP_LIMIT_MILLIS));
        out.add(Claim.atMost("soft-lost", "soft: packets lost", h.lostPackets, 0));
        out.add(
            Claim.atMost(
                "soft-retransmitted", "soft: segments sent again", h.retransmittedSegments, 0));
      } else {
        out.add(
            Claim.atMost(
                "hard-gap",
                "hard: longest gap, ms, at most outage + round trip + 50 ms",
                h.gapMillis,
                h.outageMillis + rttMillis + HARD_GAP_LIMIT_MILLIS));
      }
    }
    return out;
  }

  /** The object that {@code demo --json} prints. */
  Map<String, Object> toMap() {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("name", "demo");
    m.put("network", network);
    m.put("program", program);
    m.put("bytes", bytes);
    m.put("sha256_ok", sha256Ok);
    m.put("seconds", Figures.round(seconds));
    m.put("goodput_mbit_s", Figures.round(goodputMbitPerSecond));
    m.put("rtt_ms", Figures.round(rttMillis));
    m.put("usual_gap_ms", Figures.round(usualGapMillis));
    m.put("handoffs", handoffs.stream().map(HandoffReport::toMap).toList());
    m.put("claims", claims());
    return m;
  }

  /** The closing table for people. */
  String toText() {
    StringBuilder s = new StringBuilder();
    line(s, "%-34s %,d", "bytes", bytes);
    line(s, "%-34s %s", "SHA-256", sha256Ok ? "equal" : "DIFFERENT");
    line(s, "%-34s %.1f s, %.1f Mbit/s", "time, goodput", seconds, goodputMbitPerSecond);
    line(s, "%-34s %.2f ms", "round trip without load", rttMillis);
    line(s, "%-34s %.1f ms", "usual longest gap in half a second", usualGapMillis);
    for (HandoffReport h : handoffs) {
      line(s, "%s handoff, %s to %s", h.kind, h.from, h.to);
      line(s, "  %-32s %.1f ms", "longest gap", h.gapMillis);
      if (h.outageMillis > 0) {
        line(s, "  %-32s %.1f ms", "of which without any link", h.outageMillis);
      }
      line(s, "  %-32s %d", "packets lost", h.lostPackets);
      line(s, "  %-32s %d", "segments retransmitted", h.retransmittedSegments);
      line(
          s,
          "  %-32s %s",
          "Locator Update round trip",
          h.luRttMillis < 0
              ? "sent more than once"
              : String.format(Locale.ROOT, "%.2f ms", h.luRttMillis));
    }
    for (Claim c : claims()) {
      String verdict = c.holds() ? "ok  " : "MISS";
      if (c.id().equals("intact")) {
        line(s, "%s %s", verdict, c.text());
      } else {
        line(s, "%s %s: %.1f (limit %.1f)", verdict, c.text(), c.value(), c.limit());
      }
    }
    return s.toString();
  }

  private static void line(StringBuilder s, String format, Object... args) {
    s.append(String.format(Locale.ROOT, format, args)).append('\n');
  }
}
