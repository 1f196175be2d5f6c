package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.link.FaultInjector;
import org.ilnp4j.link.LinkConfig;

/** A full-duplex link between two ports; each direction has its own {@link FaultInjector}. */
public final class SimLink implements SimChannel {
  private final SimNetwork network;
  private final SimPort a;
  private final SimPort b;
  private final FaultInjector fromA;
  private final FaultInjector fromB;

  SimLink(SimNetwork network, SimPort a, SimPort b, LinkConfig fromA, LinkConfig fromB) {
    this.network = network;
    this.a = a;
    this.b = b;
    this.fromA = network.injector(fromA, b);
    this.fromB = network.injector(fromB, a);
  }

  /** The direction in which packets leave at {@code port}: its configuration and counters. */
  public FaultInjector from(SimPort port) {
    if (port == a) {
      return fromA;
    }
    if (port == b) {
      return fromB;
    }
    throw new IllegalArgumentException(port + " is not an end of " + this);
  }

  /** Changes both directions while packets are under way. */
  public void configure(LinkConfig both) {
    fromA.configure(both);
    fromB.configure(both);
  }

  public boolean isUp() {
    return fromA.isUp();
  }

  /** Brings the link up; both ends are told within this instant. */
  public void up() {
    if (!isUp()) {
      fromA.up();
      fromB.up();
      network.linkChanged(a);
      network.linkChanged(b);
    }
  }

  /** Takes the link down in both directions; both ends are told within this instant. */
  public void down(FaultInjector.Cut cut) {
    if (isUp()) {
      fromA.down(cut);
      fromB.down(cut);
      network.linkChanged(a);
      network.linkChanged(b);
    }
  }

  @Override
  public void transmit(SimPort from, ByteBuf packet) {
    (from == a ? fromA : fromB).transmit(packet);
  }

  @Override
  public boolean isUp(SimPort port) {
    return isUp();
  }

  @Override
  public int mtu(SimPort port) {
    return from(port).config().mtu();
  }

  @Override
  public int packetsInside() {
    return fromA.packetsInside() + fromB.packetsInside();
  }

  @Override
  public void close() {
    fromA.close();
    fromB.close();
  }

  @Override
  public String toString() {
    return a + " - " + b;
  }
}
