package org.ilnp4j.pkt;

import java.util.HashMap;
import java.util.Map;
import org.ilnp4j.tcp.TcpInfo;
import org.ilnp4j.tcp.TcpInternals;
import org.ilnp4j.tcp.TcpState;

/** The values assertions see: constants, and a connection's state under the names of TCP_INFO. */
final class InfoValues {
  /** Windows without limit; Linux' value for "no threshold yet". */
  private static final double INFINITE_SSTHRESH = 0x7fffffff;

  private static final Map<String, Double> CONSTANTS = new HashMap<>();

  static {
    String[] states = {
      "TCP_ESTABLISHED",
      "TCP_SYN_SENT",
      "TCP_SYN_RECV",
      "TCP_FIN_WAIT1",
      "TCP_FIN_WAIT2",
      "TCP_TIME_WAIT",
      "TCP_CLOSE",
      "TCP_CLOSE_WAIT",
      "TCP_LAST_ACK",
      "TCP_LISTEN",
      "TCP_CLOSING"
    };
    // The names FreeBSD has for the same.
    String[] bsd = {
      "ESTABLISHED",
      "SYN_SENT",
      "SYN_RECEIVED",
      "FIN_WAIT_1",
      "FIN_WAIT_2",
      "TIME_WAIT",
      "CLOSED",
      "CLOSE_WAIT",
      "LAST_ACK",
      "LISTEN",
      "CLOSING"
    };
    for (int i = 0; i < states.length; i++) {
      CONSTANTS.put(states[i], i + 1.0);
      CONSTANTS.put("TCPI_" + bsd[i], i + 1.0);
    }
    String[] phases = {"Open", "Disorder", "CWR", "Recovery", "Loss"};
    for (int i = 0; i < phases.length; i++) {
      CONSTANTS.put("TCP_CA_" + phases[i], (double) i);
    }
    String[] options = {
      "TIMESTAMPS", "SACK", "WSCALE", "ECN", "ECN_SEEN", "SYN_DATA", "USEC_TS", "TFO_CHILD"
    };
    for (int i = 0; i < options.length; i++) {
      CONSTANTS.put("TCPI_OPT_" + options[i], (double) (1 << i));
    }
    CONSTANTS.put("TCP_INFINITE_SSTHRESH", INFINITE_SSTHRESH);
  }

  private InfoValues() {}

  /**
   * Values for a socket; without a connection, constants and the state only.
   *
   * @param scaled both SYNs had a window scale
   */
  static Map<String, Double> of(Sock s, boolean scaled) {
    Map<String, Double> v = new HashMap<>(CONSTANTS);
    if (s != null && s.connection != null) {
      put(v, s);
      v.merge("tcpi_options", scaled ? CONSTANTS.get("TCPI_OPT_WSCALE") : 0, Double::sum);
    } else if (s != null) {
      v.put("tcpi_state", CONSTANTS.get(s.isListening() ? "TCP_LISTEN" : "TCP_CLOSE"));
    }
    return v;
  }

  private static void put(Map<String, Double> v, Sock s) {
    TcpInfo i = s.connection.info(s.machine.now);
    double mss = Math.max(1, i.mssBytes());
    v.put("tcpi_state", state(i.state()));
    v.put("tcpi_snd_mss", (double) i.mssBytes());
    v.put("tcpi_snd_cwnd", Math.floor(i.cwndBytes() / mss));
    v.put(
        "tcpi_snd_ssthresh",
        i.ssthreshBytes() == Long.MAX_VALUE
            ? INFINITE_SSTHRESH
            : Math.floor(i.ssthreshBytes() / mss));
    v.put("tcpi_rtt", micros(i.srttNanos()));
    v.put("tcpi_rttvar", micros(i.rttVarNanos()));
    v.put("tcpi_rto", micros(i.rtoNanos()));
    v.put("tcpi_min_rtt", micros(i.minRttNanos()));
    v.put("tcpi_snd_wnd", (double) i.sendWindowBytes());
    v.put("tcpi_rcv_wnd", (double) i.receiveWindowBytes());
    v.put("tcpi_bytes_sent", (double) i.bytesSent());
    v.put("tcpi_bytes_acked", (double) i.bytesAcked());
    v.put("tcpi_bytes_received", (double) i.bytesReceived());
    v.put("tcpi_segs_out", (double) i.segmentsOut());
    v.put("tcpi_segs_in", (double) i.segmentsIn());
    v.put("tcpi_total_retrans", (double) i.retransmittedSegments());
    v.putAll(TcpInternals.of(s.connection));
  }

  private static double state(TcpState s) {
    return switch (s) {
      case ESTABLISHED -> 1;
      case SYN_SENT -> 2;
      case SYN_RECEIVED -> 3;
      case FIN_WAIT_1 -> 4;
      case FIN_WAIT_2 -> 5;
      case TIME_WAIT -> 6;
      case CLOSED -> 7;
      case CLOSE_WAIT -> 8;
      case LAST_ACK -> 9;
      case CLOSING -> 11;
    };
  }

  private static double micros(long nanos) {
    return nanos < 0 ? 0 : Math.floor(nanos / 1000.0);
  }
}
