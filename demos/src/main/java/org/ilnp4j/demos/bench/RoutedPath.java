package org.ilnp4j.demos.bench;

import java.io.IOException;
import org.ilnp4j.demos.lab.Flow;
import org.ilnp4j.demos.lab.IlnpFlow;
import org.ilnp4j.demos.lab.IlnpNode;
import org.ilnp4j.demos.lab.KernelFlow;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.ilnp.SessionMode;
import org.ilnp4j.tcp.TcpConfig;
import org.ilnp4j.tun.Ethtool;
import org.ilnp4j.tun.NetworkNamespace;
import org.ilnp4j.tun.TunDevice;

/**
 * Two hosts and a Linux router between them, each a network namespace, joined by veth pairs of MTU
 * 1500. On each host there is the kernel's TCP, a node of ilnp4j, and room for a bare loop.
 */
final class RoutedPath implements AutoCloseable {
  static final String CONGESTION = "cubic";
  private static final String LEFT_DEVICE = "left0";
  private static final String RIGHT_DEVICE = "right0";
  private static final String UPLINK = "up0";
  private static final String RIGHT_KERNEL = "2001:db8:b::2";
  private static final long LEFT_L64 = 0x2001_0db8_000a_0001L;
  private static final long RIGHT_L64 = 0x2001_0db8_000b_0001L;
  private static final long LEFT_NID = 0x0214_4fff_feab_cd01L;
  private static final long RIGHT_NID = 0x0214_4fff_feab_cd02L;

  private final Lab lab;
  private final String left;
  private final String right;
  private final String router;
  private IlnpNode leftNode;
  private IlnpNode rightNode;

  RoutedPath(Lab lab) throws IOException {
    this.lab = lab;
    left = lab.namespace("left");
    right = lab.namespace("right");
    router = lab.namespace("router");
    try {
      lab.sysctl(router, "net/ipv6/conf/all/forwarding", "1");
      host(left, LEFT_DEVICE, 'a');
      host(right, RIGHT_DEVICE, 'b');
      TcpConfig tcp = TcpConfig.DEFAULT.withCongestionControl(CONGESTION);
      leftNode = IlnpNode.open(lab, left, LEFT_NID, LEFT_L64, tcp, TunDevice.Offload.VNET_HDR);
      rightNode = IlnpNode.open(lab, right, RIGHT_NID, RIGHT_L64, tcp, TunDevice.Offload.VNET_HDR);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** 2001:db8:x::2 for the kernel, 2001:db8:x:1::/64 and 2001:db8:x:2::/64 behind it. */
  private void host(String namespace, String device, char x) throws IOException {
    String net = "2001:db8:" + x + ":";
    lab.veth(namespace, UPLINK, router, device);
    lab.sysctl(namespace, "net/ipv6/conf/all/forwarding", "1");
    lab.ip(namespace, "link", "set", UPLINK, "up");
    lab.ip(router, "link", "set", device, "up");
    lab.ip(namespace, "addr", "add", net + ":2/64", "dev", UPLINK, "nodad");
    lab.ip(router, "addr", "add", net + ":1/64", "dev", device, "nodad");
    lab.ip(namespace, "-6", "route", "add", "default", "via", net + ":1", "congctl", CONGESTION);
    for (int behind : new int[] {1, 2}) {
      lab.ip(router, "-6", "route", "add", net + behind + "::/64", "via", net + ":2");
    }
  }

  /** Whether super-segments pass whole, or the kernels of the hosts cut them for the links. */
  void segmentation(boolean on) throws IOException {
    segmentation(left, UPLINK, on);
    segmentation(right, UPLINK, on);
    segmentation(router, LEFT_DEVICE, on);
    segmentation(router, RIGHT_DEVICE, on);
  }

  private static void segmentation(String namespace, String device, boolean on) throws IOException {
    NetworkNamespace.call(
        namespace,
        () -> {
          Ethtool.setGro(device, false);
          Ethtool.setSegmentation(device, on);
          return null;
        });
  }

  Flow ilnpFlow(int port) throws IOException {
    return new IlnpFlow(leftNode, rightNode, SessionMode.ILNP, port, Flow.ENDLESS);
  }

  Flow kernelFlow() throws IOException {
    return new KernelFlow(left, right, RIGHT_KERNEL, Flow.ENDLESS);
  }

  /** Packets of ilnp4j's form, through TUN devices, with nothing of TCP about them. */
  Flow bareFlow() throws IOException {
    return new BareFlow(lab, left, right);
  }

  @Override
  public void close() {
    if (leftNode != null) {
      leftNode.close();
    }
    if (rightNode != null) {
      rightNode.close();
    }
    for (String namespace : new String[] {left, right, router}) {
      lab.remove(namespace);
    }
  }
}
