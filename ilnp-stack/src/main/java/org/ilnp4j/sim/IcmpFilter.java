package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import java.util.function.IntPredicate;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;

/** Drops ICMPv6 messages of chosen types without a word, as over-zealous firewalls do. */
public final class IcmpFilter extends Middlebox {
  private final IntPredicate drops;
  private final PacketView view = new PacketView();

  /**
   * @param drops ICMPv6 types that do not pass
   */
  public IcmpFilter(SimNetwork network, String name, IntPredicate drops) {
    super(network, name);
    this.drops = drops;
  }

  /** Drops every ICMPv6 message. */
  public static IcmpFilter all(SimNetwork network, String name) {
    return new IcmpFilter(network, name, type -> true);
  }

  @Override
  protected boolean accepts(boolean outbound, ByteBuf packet) {
    return view.parse(packet) != null
        || view.protocol != Ip6.PROTO_ICMP6
        || view.upperLength < 1
        || !drops.test(Icmp6.type(packet, view.upperIndex));
  }
}
