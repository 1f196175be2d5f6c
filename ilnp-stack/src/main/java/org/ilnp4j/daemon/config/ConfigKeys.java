package org.ilnp4j.daemon.config;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.ilnp4j.tcp.EcnMode;
import org.ilnp4j.tcp.TcpConfig;
import org.ilnp4j.time.NanoClock;

/** Every section and key there is, with its default. What is not listed here is refused. */
final class ConfigKeys {
  private static final TcpConfig TCP_DEFAULT = TcpConfig.DEFAULT;

  static final ConfigSection TOP = ConfigSection.top();
  static final ConfigKey<String> NAME = TOP.key("name", Values.nodeName(), "ilnp");
  static final ConfigKey<NidSource> NID = TOP.key("nid", Values.nid(), new NidSource.Random());

  static final ConfigSection TUN = ConfigSection.table("tun");
  static final ConfigKey<String> TUN_NAME = TUN.key("name", Values.linkName(), "ilnp0");
  static final ConfigKey<Integer> TUN_MTU = TUN.key("mtu", Values.integer(1280, 65535), 1500);

  static final ConfigSection UPLINK = ConfigSection.list("uplink");
  static final ConfigKey<String> UPLINK_NAME = UPLINK.required("name", Values.linkName());
  static final ConfigKey<Integer> UPLINK_PREFERENCE =
      UPLINK.key("preference", Values.integer(0, 65535), 10);
  static final ConfigKey<Long> UPLINK_LOCATOR = UPLINK.optional("locator", Values.locator());
  static final ConfigKey<Inet6Address> UPLINK_ROUTER =
      UPLINK.optional("router", Values.linkLocalAddress());

  static final ConfigSection MOBILITY = ConfigSection.table("mobility");
  static final ConfigKey<PolicyKind> POLICY =
      MOBILITY.key("policy", Values.oneOf(PolicyKind.class), PolicyKind.PREFERENCE);
  static final ConfigKey<HandoffKind> HANDOFF =
      MOBILITY.key("handoff", Values.oneOf(HandoffKind.class), HandoffKind.SOFT);
  static final ConfigKey<Long> MAX_LIFETIME =
      MOBILITY.key("max-lifetime", Values.duration("1 s", "65535 s"), NanoClock.seconds(300));
  static final ConfigKey<Double> RA_TIMEOUT_FACTOR =
      MOBILITY.key("ra-timeout-factor", Values.decimal(1.5, 100), 3.0);

  static final ConfigSection TCP = ConfigSection.table("tcp");
  static final ConfigKey<String> CONGESTION =
      TCP.key(
          "congestion",
          Values.oneOf("cubic", "reno", "newreno", "bbr"),
          TCP_DEFAULT.congestionControl());
  static final ConfigKey<EcnMode> ECN =
      TCP.key("ecn", Values.oneOf(EcnMode.class), TCP_DEFAULT.ecn());
  static final ConfigKey<Boolean> SACK = TCP.key("sack", Values.bool(), TCP_DEFAULT.sack());
  static final ConfigKey<Boolean> TIMESTAMPS =
      TCP.key("timestamps", Values.bool(), TCP_DEFAULT.timestamps());
  static final ConfigKey<Boolean> WINDOW_SCALING =
      TCP.key("window-scaling", Values.bool(), TCP_DEFAULT.windowScaling());
  static final ConfigKey<Long> SEND_BUFFER =
      TCP.key("send-buffer", Values.size("4 KiB", "1 GiB"), (long) TCP_DEFAULT.sendBufferBytes());
  static final ConfigKey<Long> RECEIVE_BUFFER =
      TCP.key(
          "receive-buffer", Values.size("4 KiB", "1 GiB"), (long) TCP_DEFAULT.receiveBufferBytes());
  static final ConfigKey<Long> MEMORY =
      TCP.key("memory", Values.size("1 MiB", "64 GiB"), TCP_DEFAULT.memoryBytes());
  static final ConfigKey<Integer> MAX_CONNECTIONS =
      TCP.key("max-connections", Values.integer(1, 10_000_000), TCP_DEFAULT.maxConnections());
  static final ConfigKey<Integer> BACKLOG =
      TCP.key("backlog", Values.integer(1, 65535), TCP_DEFAULT.backlog());
  static final ConfigKey<Long> TIME_WAIT =
      TCP.key("time-wait", Values.duration("1 s", "10 min"), TCP_DEFAULT.timeWaitNanos());
  static final ConfigKey<Long> MIN_RTO =
      TCP.key("min-rto", Values.duration("1 ms", "10 s"), TCP_DEFAULT.minRtoNanos());
  static final ConfigKey<Long> USER_TIMEOUT =
      TCP.key("user-timeout", Values.duration("1 s", "24 h"), TCP_DEFAULT.userTimeoutNanos());
  static final ConfigKey<Boolean> PEER_USER_TIMEOUT =
      TCP.key("peer-user-timeout", Values.bool(), TCP_DEFAULT.followsPeerUserTimeout());
  static final ConfigKey<Long> KEEPALIVE =
      TCP.key("keepalive", Values.duration("0 s", "24 h"), TCP_DEFAULT.keepAliveNanos());
  static final ConfigKey<Integer> HOP_LIMIT =
      TCP.key("hop-limit", Values.integer(1, 255), TCP_DEFAULT.hopLimit());

  static final ConfigSection NONCE = ConfigSection.table("nonce");
  static final ConfigKey<Integer> NONCE_LENGTH = NONCE.key("length", Values.oneOf(4, 12), 12);

  static final ConfigSection HOSTS = ConfigSection.table("hosts");
  static final ConfigKey<Path> HOSTS_FILE = HOSTS.required("file", Values.path());

  static final ConfigSection SOCKS = ConfigSection.table("socks");
  static final ConfigKey<InetSocketAddress> SOCKS_LISTEN =
      SOCKS.key(
          "listen",
          Values.listenAddress(),
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 1080));
  static final ConfigKey<Boolean> SOCKS_ALLOW_REMOTE =
      SOCKS.key("allow-remote", Values.bool(), false);

  static final ConfigSection FORWARD = ConfigSection.list("forward");
  static final ConfigKey<InetSocketAddress> FORWARD_LISTEN =
      FORWARD.required("listen", Values.listenAddress());
  static final ConfigKey<HostPort> FORWARD_TO = FORWARD.required("to", Values.hostPort());
  static final ConfigKey<Boolean> FORWARD_ALLOW_REMOTE =
      FORWARD.key("allow-remote", Values.bool(), false);

  static final ConfigSection PUBLISH = ConfigSection.list("publish");
  static final ConfigKey<Integer> PUBLISH_PORT = PUBLISH.required("port", Values.integer(1, 65535));
  static final ConfigKey<HostPort> PUBLISH_TO = PUBLISH.required("to", Values.hostPort());

  static final ConfigSection CONTROL = ConfigSection.table("control");
  static final ConfigKey<Path> CONTROL_SOCKET = CONTROL.optional("socket", Values.path());

  static final ConfigSection STATE = ConfigSection.table("state");
  static final ConfigKey<Path> STATE_DIR = STATE.key("dir", Values.path(), DaemonConfig.RUN_DIR);

  static final ConfigSection PCAP = ConfigSection.table("pcap");
  static final ConfigKey<Path> PCAP_FILE = PCAP.required("file", Values.path());

  static final ConfigSection LOG = ConfigSection.table("log");
  static final ConfigKey<String> LOG_LEVEL =
      LOG.key("level", Values.oneOf("error", "warn", "info", "debug", "trace"), "info");

  static final List<ConfigSection> ALL =
      List.of(
          TOP, TUN, UPLINK, MOBILITY, TCP, NONCE, HOSTS, SOCKS, FORWARD, PUBLISH, CONTROL, STATE,
          PCAP, LOG);

  private ConfigKeys() {}
}
