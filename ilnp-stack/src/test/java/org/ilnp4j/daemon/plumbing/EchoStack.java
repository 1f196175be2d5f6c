package org.ilnp4j.daemon.plumbing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.ilnp4j.tun.Ip6Address;
import org.ilnp4j.tun.LinuxException;
import org.ilnp4j.tun.TunDevice;
import org.ilnp4j.tun.testing.Eventually;
import org.ilnp4j.wire.Ip6;

/** The smallest stack there can be behind a TUN: answers echo requests, on a thread of its own. */
final class EchoStack implements AutoCloseable {
  private static final int PACKET_BYTES = 2048;
  private static final long PAUSE_NANOS = 200_000;
  private static final byte REQUEST = (byte) 128;
  private static final byte REPLY = (byte) 129;

  private final TunDevice tun;
  private final ByteBuf packet = Unpooled.directBuffer(PACKET_BYTES);
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger replies = new AtomicInteger();
  private final Thread thread = new Thread(this::serve, "echo");
  private volatile boolean stop;
  private volatile LinuxException failure;

  EchoStack(TunDevice tun) {
    this.tun = tun;
    thread.start();
  }

  int requests() {
    return requests.get();
  }

  /** Sends an echo request and waits for the reply. */
  void ping(String source, String destination) throws Exception {
    int before = replies.get();
    ByteBuf request = Unpooled.directBuffer(48);
    try {
      Ip6Address from = Ip6Address.parse(source);
      Ip6Address to = Ip6Address.parse(destination);
      Ip6.write(request, 0, 8, Ip6.PROTO_ICMP6, 64, from.high(), from.low(), to.high(), to.low());
      request.writeLong(0x8000_0000_0001_0001L);
      int sum = 8 + Ip6.PROTO_ICMP6;
      for (int i = 8; i < 48; i += 2) {
        sum += request.getUnsignedShort(i);
      }
      sum = (sum & 0xffff) + (sum >>> 16);
      request.setShort(42, ~((sum & 0xffff) + (sum >>> 16)));
      tun.write(request.memoryAddress(), 48);
      Eventually.await("echo reply to " + source, () -> replies.get() > before);
    } finally {
      request.release();
    }
  }

  private void serve() {
    try {
      while (!stop) {
        int n = tun.read(packet.memoryAddress(), PACKET_BYTES);
        if (n == 0) {
          LockSupport.parkNanos(PAUSE_NANOS);
        } else if (n >= 48 && packet.getByte(6) == 58 && packet.getByte(40) == REQUEST) {
          answer(n);
        } else if (n >= 48 && packet.getByte(6) == 58 && packet.getByte(40) == REPLY) {
          replies.incrementAndGet();
        }
      }
    } catch (LinuxException e) {
      failure = e;
    }
  }

  /** Addresses swapped, type changed; the checksum changes by the difference of the types. */
  private void answer(int n) throws LinuxException {
    requests.incrementAndGet();
    for (int i = 8; i < 24; i += Long.BYTES) {
      long source = packet.getLong(i);
      packet.setLong(i, packet.getLong(i + 16));
      packet.setLong(i + 16, source);
    }
    packet.setByte(40, REPLY);
    int sum = (~packet.getUnsignedShort(42) & 0xffff) + 0x0100;
    packet.setShort(42, ~((sum & 0xffff) + (sum >>> 16)));
    tun.write(packet.memoryAddress(), n);
  }

  @Override
  public void close() throws Exception {
    stop = true;
    thread.join();
    packet.release();
    if (failure != null) {
      throw failure;
    }
  }
}
