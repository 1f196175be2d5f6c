package org.ilnp4j.demos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.demos.lab.MobileLab;
import org.ilnp4j.tun.NetworkNamespace;

/**
 * The network of the demonstration with somebody on the correspondent's link who means harm. The
 * correspondent's daemon is the node under attack; its port 9000 leads to a service of the test.
 */
final class HostileNetwork implements AutoCloseable {
  static final int PORT = 9000;

  /** Leads to a service that sends back what it is sent. */
  static final int ECHO_PORT = 9001;

  static final String NODE = MobileLab.CORRESPONDENT_L64 + ":" + MobileLab.CORRESPONDENT_NID;

  /** Addresses that nobody has: what is sent there, the router takes and drops. */
  static final String NOBODY = "2001:db8:bad:bad:0";

  /** The core's own address on the correspondent's link. */
  static final String ROUTER = MobileLab.CORRESPONDENT_L64 + "::1";

  /** The kernel's own grow to 32 MB, and a reader that stops is felt only then. */
  private static final int RECEIVE_BUFFER_BYTES = 256 << 10;

  private static final int LIMIT_MILLIS = (int) TimeUnit.SECONDS.toMillis(60);

  private static final int SERVICE_PORT = 9100;
  private static final int ECHO_SERVICE_PORT = 9101;

  /** How the session that is attacked speaks. */
  enum Mode {
    /** With the kernel of the neighbouring namespace. */
    CLASSIC,
    /** With the mobile node. */
    ILNP
  }

  final NetnsNetwork net;
  final RawPeer raw;
  private final ServerSocket service;
  private final ServerSocket echo;

  HostileNetwork() throws Exception {
    net =
        new NetnsNetwork(
            new MobileLab(new Lab(), 1000),
            "1 MiB",
            publish(PORT, SERVICE_PORT) + publish(ECHO_PORT, ECHO_SERVICE_PORT));
    try {
      net.awaitReady();
      Lab lab = net.lab().lab;
      lab.ip(net.lab().core, "-6", "route", "add", "blackhole", "2001:db8:bad::/48");
      service =
          NetworkNamespace.call(
              net.lab().cn, () -> listen(InetAddress.getByName("127.0.0.1"), SERVICE_PORT));
      echo =
          NetworkNamespace.call(
              net.lab().cn, () -> listen(InetAddress.getByName("127.0.0.1"), ECHO_SERVICE_PORT));
      echo.setSoTimeout(0);
      new Thread(() -> echo(echo), "echo").start();
      raw = peer("c0", net.lab().cn, "e0", NODE, net::correspondentStatus);
    } catch (Exception | AssertionError e) {
      net.close();
      throw e;
    }
  }

  private static String publish(int port, int servicePort) {
    return "[[publish]]\nport = " + port + "\nto = \"127.0.0.1:" + servicePort + "\"\n";
  }

  /** Sends back what it is sent, to any number of callers at once, until it is closed. */
  private static void echo(ServerSocket server) {
    try {
      while (true) {
        Socket s = server.accept();
        Thread t =
            new Thread(
                () -> {
                  try (s) {
                    s.getInputStream().transferTo(s.getOutputStream());
                  } catch (IOException e) {
                    // A caller that is gone, as most of a flood are.
                  }
                });
        t.setDaemon(true);
        t.start();
      }
    } catch (IOException e) {
      // closed
    }
  }

  /** A server that waits for callers for a minute. */
  static ServerSocket listen(InetAddress address, int port) throws IOException {
    ServerSocket s = new ServerSocket();
    s.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
    s.setSoTimeout(LIMIT_MILLIS);
    s.bind(new InetSocketAddress(address, port), 2000);
    return s;
  }

  /** Scapy in the core, on the link to a node or to the router before it. */
  RawPeer peer(
      String device, String neighbour, String neighbourDevice, String node, RawPeer.Fence fence)
      throws IOException {
    Lab lab = net.lab().lab;
    String mac = lab.exec(neighbour, "cat", "/sys/class/net/" + neighbourDevice + "/address");
    return new RawPeer(
        lab.directory(),
        net.lab().core,
        device,
        mac.strip(),
        node,
        NOBODY + ":1:2:3",
        ROUTER,
        fence);
  }

  /** A new session, idle. */
  LiveSession open(Mode mode) throws Exception {
    Socket client = connect(mode);
    return new LiveSession(client, service.accept());
  }

  /** A program connects to the published port. */
  Socket connect(Mode mode) throws Exception {
    return connect(mode, PORT);
  }

  Socket connect(Mode mode, int port) throws Exception {
    return mode == Mode.CLASSIC
        ? connectByKernel(new InetSocketAddress(NODE, port))
        : connectBySocks(InetSocketAddress.createUnresolved(NetnsNetwork.CORRESPONDENT, port));
  }

  /** The kernel of the core connects. */
  Socket connectByKernel(InetSocketAddress to) throws Exception {
    return NetworkNamespace.call(
        net.lab().core,
        () -> {
          Socket s = new Socket();
          s.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
          s.connect(to, LIMIT_MILLIS);
          return s;
        });
  }

  /** A program connects through the mobile node. */
  Socket connectBySocks(InetSocketAddress to) throws Exception {
    return NetworkNamespace.call(
        net.lab().mn,
        () -> {
          Socket s =
              new Socket(new Proxy(Proxy.Type.SOCKS, new InetSocketAddress("127.0.0.1", 1080)));
          s.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
          s.connect(to, LIMIT_MILLIS);
          return s;
        });
  }

  /** The service's end of the next session. */
  Socket accept() throws IOException {
    return service.accept();
  }

  /** Packets that the node dropped for this reason. */
  long dropped(String reason) throws IOException {
    return net.correspondentStatus().counters().getOrDefault("drop-" + reason, 0L);
  }

  /** Memory of the node's process. */
  long residentBytes() throws IOException {
    return Resident.bytes(net.correspondentStatus().pid());
  }

  @Override
  public void close() throws IOException {
    raw.close();
    service.close();
    echo.close();
    net.close();
  }
}
