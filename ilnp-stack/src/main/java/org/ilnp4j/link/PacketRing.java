package org.ilnp4j.link;

import io.netty.buffer.ByteBuf;

/**
 * A first-in first-out queue of packets, each with a time and a number, that allocates only when it
 * grows.
 */
public final class PacketRing {
  private ByteBuf[] packets = new ByteBuf[16];
  private long[] times = new long[16];
  private long[] numbers = new long[16];
  private int head;
  private int size;
  private long bytes;

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** Octets of all packets inside. */
  public long bytes() {
    return bytes;
  }

  public void add(ByteBuf packet, long timeNanos) {
    add(packet, timeNanos, 0);
  }

  public void add(ByteBuf packet, long timeNanos, long number) {
    if (size == packets.length) {
      grow();
    }
    int i = (head + size++) & (packets.length - 1);
    packets[i] = packet;
    times[i] = timeNanos;
    numbers[i] = number;
    bytes += packet.readableBytes();
  }

  /** The oldest packet; the ring must not be empty. */
  public ByteBuf peek() {
    return packets[head];
  }

  /** The time given with the oldest packet; the ring must not be empty. */
  public long headNanos() {
    return times[head];
  }

  /** The number given with the oldest packet; the ring must not be empty. */
  public long headNumber() {
    return numbers[head];
  }

  /** Removes the oldest packet; the ring must not be empty. */
  public ByteBuf poll() {
    ByteBuf packet = packets[head];
    packets[head] = null;
    head = (head + 1) & (packets.length - 1);
    size--;
    bytes -= packet.readableBytes();
    return packet;
  }

  private void grow() {
    int old = packets.length;
    ByteBuf[] morePackets = new ByteBuf[old * 2];
    System.arraycopy(packets, head, morePackets, 0, old - head);
    System.arraycopy(packets, 0, morePackets, old - head, head);
    packets = morePackets;
    times = grown(times);
    numbers = grown(numbers);
    head = 0;
  }

  private long[] grown(long[] old) {
    long[] more = new long[old.length * 2];
    System.arraycopy(old, head, more, 0, old.length - head);
    System.arraycopy(old, 0, more, old.length - head, head);
    return more;
  }
}
