package org.ilnp4j.demos;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.daemon.control.HandoffView;
import org.ilnp4j.daemon.control.LocatorsView;
import org.ilnp4j.daemon.control.PingView;
import org.ilnp4j.daemon.control.StatusView;
import org.ilnp4j.demos.lab.MobileLab;
import org.ilnp4j.util.UserError;

/**
 * The real thing: two daemons in network namespaces with TUN devices, the kernel's forwarding,
 * radvd on every router, an HTTP server at the correspondent and curl at the mobile node.
 */
final class NetnsNetwork implements DemoNetwork {
  static final int CONTENT_PORT = 8000;
  static final int PUBLISHED_PORT = 80;
  static final String SOCKS = "127.0.0.1:1080";
  static final String CORRESPONDENT = "correspondent";
  private static final Duration REPLY_WAIT = Duration.ofSeconds(10);
  private static final long READY_SECONDS = 60;

  private final MobileLab net;
  private final Path directory;
  private final Process mobileDaemon;
  private Process correspondentDaemon;
  private ControlClient mobile;
  private ControlClient correspondent;

  /** Starts both daemons and the content server in {@code net}, which this object then owns. */
  NetnsNetwork(MobileLab net, String receiveBuffer) throws IOException {
    this(net, receiveBuffer, "");
  }

  /**
   * As above.
   *
   * @param more lines of configuration for the correspondent, such as further published services
   */
  NetnsNetwork(MobileLab net, String receiveBuffer, String more) throws IOException {
    this(net, receiveBuffer, "", more);
  }

  /**
   * As above.
   *
   * @param tcp lines of the TCP table of both daemons
   */
  NetnsNetwork(MobileLab net, String receiveBuffer, String tcp, String more) throws IOException {
    this.net = net;
    String settings = "receive-buffer = \"" + receiveBuffer + "\"\n" + tcp;
    directory = net.lab.directory();
    try {
      Files.writeString(
          directory.resolve("hosts"),
          CORRESPONDENT
              + " "
              + MobileLab.CORRESPONDENT_NID
              + " "
              + MobileLab.CORRESPONDENT_L64
              + "\n");
      java(net.cn, "content", ContentServer.class, List.of("" + CONTENT_PORT));
      correspondentDaemon =
          daemon(
              net.cn,
              "correspondent",
              MobileLab.CORRESPONDENT_NID,
              settings,
              List.of("e0"),
              "[[publish]]\nport = "
                  + PUBLISHED_PORT
                  + "\nto = \"127.0.0.1:"
                  + CONTENT_PORT
                  + "\"\n"
                  + more);
      mobileDaemon =
          daemon(
              net.mn,
              "mobile",
              MobileLab.MOBILE_NID,
              settings,
              List.of("w2", "w1"),
              "[hosts]\nfile = \"hosts\"\n[socks]\nlisten = \"" + SOCKS + "\"\n");
    } catch (IOException | RuntimeException e) {
      net.close();
      throw e;
    }
  }

  /** Uplinks are preferred in the order given. */
  private Process daemon(
      String ns, String name, String nid, String tcp, List<String> uplinks, String more)
      throws IOException {
    StringBuilder config = new StringBuilder();
    config.append("name = \"").append(name).append("\"\nnid = \"").append(nid).append("\"\n");
    config.append("[tun]\nname = \"ilnp0\"\n");
    int preference = 10;
    for (String uplink : uplinks) {
      config.append("[[uplink]]\nname = \"").append(uplink).append("\"\n");
      config.append("preference = ").append(preference).append('\n');
      preference += 10;
    }
    config.append("[tcp]\n").append(tcp);
    config.append("[control]\nsocket = \"").append(socket(name)).append("\"\n");
    config.append("[state]\ndir = \"").append(directory.resolve(name)).append("\"\n");
    config.append("[pcap]\nfile = \"").append(pcap(name)).append("\"\n");
    config.append(more);
    Path file = directory.resolve(name + ".toml");
    Files.writeString(file, config);
    return start(ns, name);
  }

  private Process start(String ns, String name) throws IOException {
    String config = directory.resolve(name + ".toml").toString();
    return java(ns, name, Main.class, List.of("daemon", "--config", config));
  }

  /** The correspondent's daemon dies on the spot and is started again; returns when it is ready. */
  void crashCorrespondent() throws IOException, InterruptedException {
    correspondent.close();
    correspondentDaemon.destroyForcibly().waitFor();
    correspondentDaemon = start(net.cn, "correspondent");
    awaitReady();
  }

  /** Starts a class of this program in a virtual machine of its own. */
  private Process java(String ns, String name, Class<?> main, List<String> args)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(args);
    return net.lab.spawn(ns, name, command);
  }

  Path socket(String name) {
    return directory.resolve(name + ".sock");
  }

  Path pcap(String name) {
    return directory.resolve(name + ".pcap");
  }

  MobileLab lab() {
    return net;
  }

  @Override
  public String describe() {
    return "network namespaces: mobile node - two access routers with radvd - core - correspondent";
  }

  @Override
  public String program() {
    return "curl";
  }

  @Override
  public void awaitReady() throws IOException, InterruptedException {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
    correspondent = connect("correspondent", correspondentDaemon, limit);
    mobile = connect("mobile", mobileDaemon, limit);
    for (Map.Entry<String, ControlClient> node :
        Map.of("correspondent", correspondent, "mobile", mobile).entrySet()) {
      while (ask(node.getValue(), Map.of("command", "locators"), LocatorsView.class)
          .local()
          .isEmpty()) {
        if (System.nanoTime() > limit) {
          throw new IOException(
              node.getKey() + ": no router advertisement in time: " + net.lab.log(node.getKey()));
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  private ControlClient connect(String name, Process daemon, long limitNanos)
      throws IOException, InterruptedException {
    while (!ControlClient.isAnswering(socket(name))) {
      if (!daemon.isAlive() || System.nanoTime() > limitNanos) {
        throw new IOException("the " + name + " daemon did not start: " + net.lab.log(name));
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
    try {
      return ControlClient.connect(socket(name));
    } catch (UserError e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static <R extends Record> R ask(
      ControlClient client, Map<String, Object> request, Class<R> type) throws IOException {
    try {
      return client.one(request, type, REPLY_WAIT);
    } catch (UserError e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public InputStream download(long bytes) throws IOException {
    return net.lab
        .spawnPiped(
            net.mn,
            "curl",
            List.of(
                "curl",
                "--silent",
                "--show-error",
                "--fail",
                "--no-buffer",
                "--socks5-hostname",
                SOCKS,
                "http://" + CORRESPONDENT + ":" + PUBLISHED_PORT + "/" + bytes))
        .getInputStream();
  }

  @Override
  public double rttMillis() throws IOException {
    List<Double> rtts = new ArrayList<>();
    try {
      mobile.call(
          Map.of("command", "ping", "name", CORRESPONDENT, "count", 3),
          PingView.class,
          REPLY_WAIT,
          p -> {
            if (p.rttMs() != null) {
              rtts.add(p.rttMs());
            }
          });
    } catch (UserError e) {
      throw new IOException(e.getMessage(), e);
    }
    return rtts.stream()
        .min(Double::compare)
        .orElseThrow(() -> new IOException("the correspondent answers no ping"));
  }

  @Override
  public void secondLinkUp() throws IOException {
    net.linkUp("w2");
  }

  @Override
  public void firstLinkDown() throws IOException {
    net.linkDown("w1");
  }

  @Override
  public void secondLinkDown() throws IOException {
    net.linkDown("w2");
  }

  @Override
  public void firstLinkUp() throws IOException {
    net.linkUp("w1");
  }

  @Override
  public int moveCount() throws IOException {
    Map<String, Long> counters = status(mobile).counters();
    return (int)
        (counters.getOrDefault("handoff-soft", 0L) + counters.getOrDefault("handoff-hard", 0L));
  }

  @Override
  public Move lastMove() throws IOException {
    HandoffView h = status(mobile).lastHandoff();
    return new Move(h.kind(), h.fromLink(), h.toLink(), h.luRttMs() == null ? -1 : h.luRttMs());
  }

  private static StatusView status(ControlClient node) throws IOException {
    return ask(node, Map.of("command", "status"), StatusView.class);
  }

  /** A counter of the mobile node by its name. */
  long mobileCounter(String name) throws IOException {
    return status(mobile).counters().getOrDefault(name, 0L);
  }

  /** The correspondent's daemon at a glance. */
  StatusView correspondentStatus() throws IOException {
    return status(correspondent);
  }

  /** The mobile node's daemon at a glance. */
  StatusView mobileStatus() throws IOException {
    return status(mobile);
  }

  /** The uplink the mobile node sends on, or an empty string. */
  String activeLink() throws IOException {
    for (LocatorsView.Local l :
        ask(mobile, Map.of("command", "locators"), LocatorsView.class).local()) {
      if (l.state().equals("active")) {
        return l.uplink();
      }
    }
    return "";
  }

  @Override
  public Repeats repeats() throws IOException {
    return new Repeats(
        status(correspondent).counters().getOrDefault("tcp-retransmitted", 0L),
        mobileCounter("tcp-duplicates"));
  }

  @Override
  public String downloadError() {
    return "curl: " + net.lab.log("curl") + "; mobile daemon: " + net.lab.log("mobile");
  }

  @Override
  public void close() {
    try {
      if (mobile != null) {
        mobile.close();
      }
      if (correspondent != null) {
        correspondent.close();
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } finally {
      net.close();
    }
  }
}
