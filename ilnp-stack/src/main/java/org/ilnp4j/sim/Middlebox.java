package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.wire.Ip6;

/**
 * A box in the middle of a link that is no router: it has an inside and an outside, passes packets
 * between them without counting down the hop limit, and does something to some of them.
 */
public abstract class Middlebox implements SimNode {
  private final String name;
  private final SimPort inside;
  private final SimPort outside;
  private long passed;
  private long changed;
  private long dropped;

  protected Middlebox(SimNetwork network, String name) {
    this.name = name;
    inside = network.port(this, "inside");
    outside = network.port(this, "outside");
  }

  @Override
  public final String name() {
    return name;
  }

  public final SimPort inside() {
    return inside;
  }

  public final SimPort outside() {
    return outside;
  }

  /** Packets that went through, changed ones included. */
  public final long passed() {
    return passed;
  }

  public final long changed() {
    return changed;
  }

  public final long dropped() {
    return dropped;
  }

  @Override
  public final void onPacket(long nowNanos, SimPort port, ByteBuf packet) {
    boolean outbound = port == inside;
    if (packet.readableBytes() < Ip6.HEADER_BYTES || accepts(outbound, packet)) {
      passed++;
      (outbound ? outside : inside).transmit(packet);
    } else {
      dropped++;
      packet.release();
    }
  }

  /**
   * Looks at a packet of at least 40 octets, and may change it in place or send an answer.
   *
   * @param outbound true for a packet from the inside
   * @return false to drop it
   */
  protected abstract boolean accepts(boolean outbound, ByteBuf packet);

  /** To be called by {@link #accepts} when it has changed the packet. */
  protected final void countChange() {
    changed++;
  }

  /** Sends an answer back to where the packet came from. */
  protected final void answer(boolean outbound, ByteBuf packet) {
    (outbound ? inside : outside).transmit(packet);
  }
}
