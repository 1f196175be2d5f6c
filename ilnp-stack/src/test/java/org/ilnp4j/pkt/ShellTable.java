package org.ilnp4j.pkt;

import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ilnp4j.tcp.EcnMode;
import org.ilnp4j.tcp.TcpState;

/**
 * What shell lines of scripts mean here: settings of the stack, questions about its connections, or
 * nothing. No command is ever run.
 */
final class ShellTable {
  private static final Pattern SYSCTL = Pattern.compile("sysctl\\s+(?:-[wq]+\\s+)*(.+)");
  private static final Pattern ASSIGNMENT =
      Pattern.compile("(?:/proc/sys/)?([\\w./]+)\\s*=\\s*(\"[^\"]*\"|\\S+)");
  private static final Pattern COUNT =
      Pattern.compile("sockstat\\b.*grep -c (\\w+)\\s*\\|\\s*grep (\\d+)");

  /** Programs whose effect does not matter in virtual time with one host. */
  private static final Set<String> HARMLESS =
      Set.of("nstat", "true", "sleep", "echo", "sync", "rm", "cat", "setkey", "head", "dd");

  /** Settings that name the default, or change nothing that scripts compare. */
  private static final Set<String> INERT =
      Set.of(
          "net.ipv4.tcp_fastopen",
          "net.ipv4.tcp_fastopen_key",
          "net.ipv4.tcp_min_tso_segs",
          "net.ipv4.tcp_tso_win_divisor",
          "net.ipv4.tcp_no_metrics_save",
          "net.ipv4.tcp_syncookies",
          "net.ipv4.tcp_wmem",
          "net.ipv4.tcp_pacing_ss_ratio",
          "net.ipv4.tcp_pacing_ca_ratio",
          "net.ipv4.tcp_limit_output_bytes",
          "net.ipv4.tcp_invalid_ratelimit",
          "net.inet.tcp.hostcache.purgenow",
          "net.inet.tcp.syncookies",
          "net.inet.tcp.pmtud_blackhole_detection",
          "net.inet.tcp.fastopen.client_enable",
          "net.inet.tcp.fastopen.server_enable");

  private final Settings settings;

  ShellTable(Settings settings) {
    this.settings = settings;
  }

  /**
   * Does what a command stands for.
   *
   * @param machine null before the first socket
   */
  void run(String command, Machine machine) {
    for (String part : command.split("\n|;|&&")) {
      String p = part.strip();
      if (!p.isEmpty() && !p.startsWith("#")) {
        single(p.replaceAll("\\s*[12&]*>\\s*\\S+", "").strip(), machine);
      }
    }
  }

  private void single(String p, Machine machine) {
    Matcher count = COUNT.matcher(p);
    Matcher sysctl = SYSCTL.matcher(p);
    if (count.find()) {
      count(count.group(1), Integer.parseInt(count.group(2)), machine);
    } else if (sysctl.matches()) {
      assign(sysctl.group(1));
    } else if (p.matches("\\S*set_sysctls\\.py\\s.*")) {
      assign(p.substring(p.indexOf(' ') + 1));
    } else if (p.startsWith("/proc/sys/")) {
      assign(p); // more for the line before
    } else if (p.startsWith("tcpdrop -s TIME_WAIT")) {
      drop(machine);
    } else if (!p.matches("\\S*(defaults|sysctl_restore\\S*)\\.sh\\b.*")
        && !p.startsWith("ip tcp_metrics flush")
        && !HARMLESS.contains(p.split("\\s", 2)[0])) {
      throw ScriptStop.unsupported("command " + p.split("\\s", 2)[0]);
    }
  }

  // ---- questions ------------------------------------------------------------------------------

  private static final Map<String, TcpState> STATES =
      Map.of(
          "SYN_SENT", TcpState.SYN_SENT,
          "SYN_RCVD", TcpState.SYN_RECEIVED,
          "ESTABLISHED", TcpState.ESTABLISHED,
          "FIN_WAIT_1", TcpState.FIN_WAIT_1,
          "FIN_WAIT_2", TcpState.FIN_WAIT_2,
          "CLOSE_WAIT", TcpState.CLOSE_WAIT,
          "CLOSING", TcpState.CLOSING,
          "LAST_ACK", TcpState.LAST_ACK,
          "TIME_WAIT", TcpState.TIME_WAIT);

  private static void count(String name, int expected, Machine machine) {
    TcpState state = STATES.get(name);
    if (state == null) {
      throw ScriptStop.unsupported("sockstat " + name);
    }
    int[] n = {0};
    if (machine != null) {
      machine.host.tcp().forEach(c -> n[0] += c.state() == state ? 1 : 0);
    }
    if (n[0] != expected) {
      StringBuilder states = new StringBuilder();
      if (machine != null) {
        machine.host.tcp().forEach(c -> states.append(' ').append(c.state()));
      }
      throw ScriptStop.fail(
          "connections in " + name, expected, n[0] + (states.isEmpty() ? "" : " of" + states));
    }
  }

  private static void drop(Machine machine) {
    if (machine != null) {
      machine
          .host
          .tcp()
          .forEach(
              c -> {
                if (c.state() == TcpState.TIME_WAIT) {
                  c.abort(machine.now);
                }
              });
      machine.turn();
    }
  }

  // ---- settings -------------------------------------------------------------------------------

  /** {@code name=value}, one or more. */
  void assign(String assignments) {
    Matcher m = ASSIGNMENT.matcher(assignments);
    while (m.find()) {
      String name = m.group(1).replace('/', '.');
      String value = m.group(2).replace("\"", "").strip();
      if (KEEP_ALIVE.containsKey(name)) {
        keepAlive(name, value);
      } else if (!settings.isFixed() && !INERT.contains(name)) {
        try {
          set(name, value);
        } catch (NumberFormatException e) {
          throw ScriptStop.syntax("a number for " + name, value);
        } catch (IllegalArgumentException e) {
          throw ScriptStop.unsupported(name + "=" + value + ": " + e.getMessage());
        }
      }
      // Later ones mostly put back what was changed.
    }
  }

  /** FreeBSD's names, in milliseconds but for the count. */
  private static final Map<String, String> KEEP_ALIVE =
      Map.of(
          "net.inet.tcp.keepidle", "TCP_KEEPIDLE",
          "net.inet.tcp.keepintvl", "TCP_KEEPINTVL",
          "net.inet.tcp.keepinit", "TCP_KEEPINIT",
          "net.inet.tcp.keepcnt", "TCP_KEEPCNT");

  private void keepAlive(String name, String value) {
    if (!value.matches("\\d{1,12}")) {
      throw ScriptStop.syntax("a number for " + name, value);
    }
    long n = Long.parseLong(value);
    settings.socketDefaults.put(KEEP_ALIVE.get(name), name.endsWith("cnt") ? n : n / 1000);
  }

  private void set(String name, String value) {
    switch (name) {
      case "net.ipv4.tcp_congestion_control" ->
          settings.tcp = settings.tcp.withCongestionControl(value);
      case "net.ipv4.tcp_ecn", "net.inet.tcp.ecn.enable" ->
          settings.tcp = settings.tcp.withEcn(ecn(value));
      case "net.ipv4.tcp_sack", "net.inet.tcp.sack.enable" ->
          settings.tcp = settings.tcp.withSack(!value.equals("0"));
      case "net.ipv4.tcp_timestamps" ->
          settings.tcp = settings.tcp.withTimestamps(!value.equals("0"));
      case "net.ipv4.tcp_window_scaling" ->
          settings.tcp = settings.tcp.withWindowScaling(!value.equals("0"));
      case "net.inet.tcp.rfc1323" ->
          settings.tcp =
              settings.tcp.withTimestamps(!value.equals("0")).withWindowScaling(!value.equals("0"));
      case "net.inet.tcp.sendspace" -> settings.sendBufferBytes = Integer.parseInt(value);
      case "net.inet.tcp.recvspace" -> settings.receiveBufferBytes = Integer.parseInt(value);
      case "net.ipv4.tcp_rmem" -> {
        String[] v = value.split("\\s+");
        settings.receiveBufferBytes = Integer.parseInt(v[v.length - 1]);
      }
      default -> table(name, value);
    }
  }

  private static EcnMode ecn(String value) {
    return switch (value) {
      case "0" -> EcnMode.OFF;
      case "1" -> EcnMode.ON;
      case "2" -> EcnMode.PASSIVE;
      default -> throw new IllegalArgumentException("this stack has no such ECN");
    };
  }

  /** Those with one value that is ours already; another one is a wish not granted. */
  private static final Map<String, String> OURS =
      Map.ofEntries(
          Map.entry("net.ipv4.tcp_dsack", "1"),
          Map.entry("net.ipv4.tcp_syn_retries", "5"),
          Map.entry("net.ipv4.tcp_synack_retries", "5"),
          Map.entry("net.inet.tcp.blackhole", "0"),
          Map.entry("net.inet.tcp.insecure_rst", "0"),
          Map.entry("net.inet.tcp.insecure_syn", "0"),
          Map.entry("net.inet.tcp.drop_synfin", "0"),
          Map.entry("net.inet.tcp.icmp_may_rst", "1"),
          Map.entry("net.inet.tcp.syncookies_only", "0"),
          Map.entry("net.inet.tcp.path_mtu_discovery", "1"),
          Map.entry("net.inet.tcp.rexmit_initial", "1000"),
          Map.entry("net.inet.tcp.rexmit_slop", "200"),
          Map.entry("net.inet.tcp.delacktime", "40"),
          Map.entry("net.inet.tcp.rexmit_drop_options", "0"),
          Map.entry("net.inet.tcp.udp_tunneling_port", "0"),
          Map.entry("net.inet.tcp.udp_tunneling_overhead", "0"),
          Map.entry("kern.ipc.maxsockbuf", "2097152"));

  private void table(String name, String value) {
    if (!value.equals(OURS.get(name))) {
      settings.ignored.add(name + "=" + value);
    }
  }
}
