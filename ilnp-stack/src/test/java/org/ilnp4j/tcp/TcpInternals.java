package org.ilnp4j.tcp;

import java.util.LinkedHashMap;
import java.util.Map;
import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.tcp.recovery.RetransmitQueue;
import org.ilnp4j.tcp.recovery.SentSegment;

/** What tests may see of a connection beyond {@link TcpInfo}. */
public final class TcpInternals {
  private TcpInternals() {}

  /** By the names of Linux' TCP_INFO. */
  public static Map<String, Double> of(TcpConnection connection) {
    Map<String, Double> v = new LinkedHashMap<>();
    Tcb t = (Tcb) connection;
    RetransmitQueue queue = t.snd.queue;
    double sacked = 0;
    double lost = 0;
    double retransmitted = 0;
    for (int i = 0; i < queue.size(); i++) {
      SentSegment s = queue.get(i);
      sacked += s.fate() == SentSegment.Fate.SACKED ? 1 : 0;
      lost += s.fate() == SentSegment.Fate.LOST ? 1 : 0;
      retransmitted += s.fate() == SentSegment.Fate.IN_FLIGHT && s.transmissions() > 1 ? 1 : 0;
    }
    v.put("tcpi_unacked", (double) queue.size());
    v.put("tcpi_sacked", sacked);
    // Linux counts what is lost until it is acknowledged, sent again or not.
    v.put("tcpi_lost", lost + retransmitted);
    v.put("tcpi_retrans", retransmitted);
    v.put("tcpi_ca_state", phase(t.paths.current(), sacked > 0));
    v.put("tcpi_notsent_bytes", (double) t.snd.unsentBytes());
    double options = t.snd.timestamps ? 1 : 0;
    options += t.snd.recovery.isSackPermitted() ? 2 : 0;
    options += t.ecn != null ? 8 : 0;
    v.put("tcpi_options", options);
    return v;
  }

  private static double phase(PathState p, boolean disorder) {
    if (p == null || p.phase() == PathState.Phase.OPEN) {
      return disorder ? 1 : 0;
    }
    return p.phase() == PathState.Phase.RECOVERY ? 3 : 4;
  }
}
