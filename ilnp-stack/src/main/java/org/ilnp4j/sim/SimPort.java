package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.link.LinkConfig;

/** An interface of a {@link SimNode}. */
public final class SimPort {
  final SimNetwork network;
  final SimNetwork.Member member;
  private final String name;
  private SimChannel channel;
  private long[] nids = new long[0];
  private long unconnectedDrops;

  /** The link state the node was told last. */
  private boolean toldUp;

  SimPort(SimNetwork network, SimNetwork.Member member, String name) {
    this.network = network;
    this.member = member;
    this.name = name;
  }

  /** Name of the interface, unique within its node. */
  public String name() {
    return name;
  }

  public SimNode node() {
    return member.node;
  }

  /**
   * Says that neighbours reach {@code nid} here, as neighbour discovery would: a {@link SimMedium}
   * finds the station for a packet by this. Not needed on a {@link SimLink}.
   */
  public SimPort answersTo(long nid) {
    nids = java.util.Arrays.copyOf(nids, nids.length + 1);
    nids[nids.length - 1] = nid;
    return this;
  }

  boolean answers(long nid) {
    for (long n : nids) {
      if (n == nid) {
        return true;
      }
    }
    return false;
  }

  /** Sends a packet; the link takes the buffer over. Without a link it is dropped and counted. */
  public void transmit(ByteBuf packet) {
    if (channel == null) {
      unconnectedDrops++;
      packet.release();
      return;
    }
    network.sent(this, packet);
    channel.transmit(this, packet);
  }

  /** Packets sent while nothing was connected. */
  public long unconnectedDrops() {
    return unconnectedDrops;
  }

  /** True when connected to something that is up. */
  public boolean isUp() {
    return channel != null && channel.isUp(this);
  }

  /** True when the link state differs from what it was at the last call. */
  boolean noticeChange() {
    boolean changed = toldUp != isUp();
    toldUp = isUp();
    return changed;
  }

  /** Octets of the largest packet that may leave here. */
  public int mtu() {
    return channel == null ? LinkConfig.DEFAULT_MTU : channel.mtu(this);
  }

  void connect(SimChannel newChannel) {
    if (channel != null) {
      throw new IllegalStateException(this + " is connected already");
    }
    channel = newChannel;
  }

  @Override
  public String toString() {
    return member.node.name() + "." + name;
  }
}
