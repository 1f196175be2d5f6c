package org.ilnp4j.demos.experiment.tcpgrid;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.demos.lab.Flow;
import org.ilnp4j.demos.lab.IlnpFlow;
import org.ilnp4j.demos.lab.IlnpNode;
import org.ilnp4j.demos.lab.KernelFlow;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.emulate.Emulator;
import org.ilnp4j.emulate.EmulatorConfig;
import org.ilnp4j.emulate.EmulatorConfig.Side;
import org.ilnp4j.ilnp.SessionMode;
import org.ilnp4j.tcp.TcpConfig;
import org.ilnp4j.tun.NetworkNamespace;
import org.ilnp4j.tun.TunDevice;
import org.ilnp4j.util.Counter;

/**
 * Two namespaces and the path between them, made anew for each transfer, so that nobody remembers
 * what the path was like before. In each there is the kernel's TCP and a node of ilnp4j.
 */
final class Testbed implements AutoCloseable {
  private static final String RECEIVER_KERNEL = "2001:db8:b::2";
  private static final String PATH_DEVICE = "path0";
  private static final String SENDER_KERNEL = "2001:db8:a::2";
  private static final long SENDER_L64 = 0x2001_0db8_000a_0001L;
  private static final long RECEIVER_L64 = 0x2001_0db8_000b_0001L;
  private static final long SENDER_NID = 0x0214_4fff_feab_cd01L;
  private static final long RECEIVER_NID = 0x0214_4fff_feab_cd02L;

  /** Larger than any window of these paths, so that the path is the limit and not the memory. */
  static final int BUFFER_BYTES = 16 << 20;

  /** The kernel counts its overhead too, and offers about half of the buffer as window. */
  private static final int KERNEL_RECEIVE_BYTES = 32 << 20;

  private static final int SETTLE_MILLIS = 100;

  private final Lab lab;
  private final String senderNamespace;
  private final String receiverNamespace;
  private Emulator path;
  private IlnpNode sender;
  private IlnpNode receiver;

  /**
   * Builds it.
   *
   * @param number names the namespaces; one that is not in use
   * @param congestion what both TCPs use: reno or cubic
   * @param seed of the losses
   */
  Testbed(Lab lab, int number, PathConditions conditions, String congestion, long seed)
      throws IOException {
    this.lab = lab;
    senderNamespace = lab.namespace("s" + number);
    receiverNamespace = lab.namespace("r" + number);
    try {
      for (String namespace : List.of(senderNamespace, receiverNamespace)) {
        lab.sysctl(namespace, "net/ipv6/conf/default/mldv2_unsolicited_report_interval", "1");
      }
      path =
          Emulator.start(
              EmulatorConfig.between(
                  Side.of(senderNamespace, PATH_DEVICE),
                  Side.of(receiverNamespace, PATH_DEVICE),
                  conditions.link(),
                  seed));
      kernel(senderNamespace, SENDER_KERNEL, congestion);
      kernel(receiverNamespace, RECEIVER_KERNEL, congestion);
      TcpConfig tcp =
          TcpConfig.DEFAULT
              .withCongestionControl(congestion)
              .withBuffers(BUFFER_BYTES, BUFFER_BYTES);
      sender =
          IlnpNode.open(lab, senderNamespace, SENDER_NID, SENDER_L64, tcp, TunDevice.Offload.NONE);
      receiver =
          IlnpNode.open(
              lab, receiverNamespace, RECEIVER_NID, RECEIVER_L64, tcp, TunDevice.Offload.NONE);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Waits until the kernels have said what they say of their own accord about new devices; it would
   * shift which packets of a transfer are lost.
   */
  void settle() throws IOException, InterruptedException {
    TimeUnit.MILLISECONDS.sleep(SETTLE_MILLIS);
    path.restartChances();
  }

  private void kernel(String namespace, String address, String congestion) throws IOException {
    lab.ip(namespace, "addr", "add", address + "/128", "dev", PATH_DEVICE, "nodad");
    // Of the route, for the sysctl of a namespace takes only what the host allows everybody.
    lab.ip(namespace, "-6", "route", "add", "default", "dev", PATH_DEVICE, "congctl", congestion);
    lab.sysctl(namespace, "net/ipv4/tcp_wmem", "4096 16384 " + BUFFER_BYTES);
    lab.sysctl(namespace, "net/ipv4/tcp_rmem", "4096 131072 " + KERNEL_RECEIVE_BYTES);
  }

  String senderNamespace() {
    return senderNamespace;
  }

  String receiverNamespace() {
    return receiverNamespace;
  }

  IlnpNode sender() {
    return sender;
  }

  IlnpNode receiver() {
    return receiver;
  }

  /** ilnp4j's TCP from the sender to the receiver. */
  Flow ilnpFlow(SessionMode mode, int port, long bytes) throws IOException {
    return new IlnpFlow(sender, receiver, mode, port, bytes);
  }

  /** The kernel's. */
  Flow kernelFlow(long bytes) throws IOException {
    return new KernelFlow(senderNamespace, receiverNamespace, RECEIVER_KERNEL, bytes);
  }

  /** What the senders had to do again. */
  record SenderCounts(long retransmitted, long timeouts) {}

  SenderCounts ilnpCounts() {
    var counters = sender.runner().host().counters();
    return sender.run(
        () ->
            new SenderCounts(
                counters.get(Counter.TCP_RETRANSMITTED), counters.get(Counter.TCP_TIMEOUTS)));
  }

  SenderCounts kernelCounts() throws IOException {
    // /proc/net is that of the process, not of the thread.
    List<String> lines =
        NetworkNamespace.call(
            senderNamespace,
            () -> {
              List<String> all = Files.readAllLines(Path.of("/proc/thread-self/net/snmp"));
              all.addAll(Files.readAllLines(Path.of("/proc/thread-self/net/netstat")));
              return all;
            });
    return new SenderCounts(
        counter(lines, "Tcp:", "RetransSegs"), counter(lines, "TcpExt:", "TCPTimeouts"));
  }

  /** Names stand in one line, their values in the next. */
  static long counter(List<String> lines, String group, String name) throws IOException {
    for (int i = 0; i + 1 < lines.size(); i++) {
      int at = Arrays.asList(lines.get(i).split(" ", -1)).indexOf(name);
      if (at > 0 && lines.get(i).startsWith(group + " ")) {
        return Long.parseLong(lines.get(i + 1).split(" ", -1)[at]);
      }
    }
    throw new IOException("this kernel does not count " + name);
  }

  @Override
  public void close() {
    for (AutoCloseable part : Arrays.asList(sender, receiver, path)) {
      close(part);
    }
    lab.remove(senderNamespace);
    lab.remove(receiverNamespace);
  }

  private static void close(AutoCloseable part) {
    try {
      if (part != null) {
        part.close();
      }
    } catch (Exception e) {
      throw new IllegalStateException("taking the test bed down", e);
    }
  }
}
