package org.ilnp4j.demos.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import org.ilnp4j.demos.lab.Flow;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.tun.NetworkNamespace;
import org.ilnp4j.tun.Poller;
import org.ilnp4j.tun.TunDevice;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.NonceOption;
import org.ilnp4j.wire.TcpHeader;

/**
 * What the data path carries at most: one thread writes super-segments of ilnp4j's form to a TUN
 * device as long as less than a fixed window is not acknowledged, another reads what arrives at the
 * second device and acknowledges. No connection, no timer, no congestion control, no payload that
 * anybody made: what ilnp4j does more than this is what its TCP costs.
 */
final class BareFlow extends Flow {
  private static final String DEVICE = "bare0";
  private static final long LEFT_L64 = 0x2001_0db8_000a_0002L;
  private static final long RIGHT_L64 = 0x2001_0db8_000b_0002L;
  private static final long LEFT_NID = 0x0214_4fff_feab_cd03L;
  private static final long RIGHT_NID = 0x0214_4fff_feab_cd04L;
  private static final int SEGMENT_BYTES = 1412;
  private static final int SEGMENTS = 44;
  private static final int PAYLOAD_BYTES = SEGMENTS * SEGMENT_BYTES;
  private static final int WINDOW_BYTES = 512 << 10;
  private static final int ACK_EVERY_BYTES = 16 * SEGMENT_BYTES;
  private static final int FRAME_BYTES = 10 + 40 + 0xffff;
  private static final int VNET_BYTES = TunDevice.VNET_HDR_BYTES;
  private static final int NONCE_HEADER_BYTES = NonceOption.headerBytes(NonceOption.LONG);
  private static final int TCP_OFFSET = VNET_BYTES + Ip6.HEADER_BYTES + NONCE_HEADER_BYTES;
  private static final int HEAD_BYTES = TCP_OFFSET + TcpHeader.MIN_BYTES;
  private static final long PATIENCE_NANOS = NanoClock.millis(100);

  private final TunDevice from;
  private final TunDevice to;
  private volatile boolean closed;
  private Thread sender;
  private Thread receiver;

  BareFlow(Lab lab, String fromNamespace, String toNamespace) throws IOException {
    super(ENDLESS);
    from = device(lab, fromNamespace, "2001:db8:a:2::/64");
    to = device(lab, toNamespace, "2001:db8:b:2::/64");
  }

  private static TunDevice device(Lab lab, String namespace, String prefix) throws IOException {
    TunDevice tun =
        NetworkNamespace.call(namespace, () -> TunDevice.open(DEVICE, TunDevice.Offload.VNET_HDR));
    lab.ip(namespace, "link", "set", DEVICE, "mtu", "1500", "txqueuelen", "2000", "up");
    lab.ip(namespace, "-6", "route", "add", prefix, "dev", DEVICE);
    return tun;
  }

  @Override
  protected void connect() {
    sender = startThread("bare-sender", this::send);
    receiver = startThread("bare-receiver", this::receive);
  }

  private void send() throws IOException {
    Poller.bePreferred();
    ByteBuf frame = frame(true, PAYLOAD_BYTES);
    ByteBuf ack = Unpooled.directBuffer(FRAME_BYTES, FRAME_BYTES);
    try (Poller poller = Poller.open(from.fd())) {
      int sent = 0;
      int acked = 0;
      while (!closed) {
        while (sent - acked + PAYLOAD_BYTES <= WINDOW_BYTES) {
          frame.setInt(TCP_OFFSET + 4, sent);
          if (from.write(frame.memoryAddress(), frame.readableBytes()) == 0) {
            break;
          }
          sent += PAYLOAD_BYTES;
        }
        if (from.read(ack.memoryAddress(), FRAME_BYTES) > 0) {
          acked = ack.getInt(TCP_OFFSET + 8);
        } else {
          poller.await(PATIENCE_NANOS);
        }
      }
    } finally {
      frame.release();
      ack.release();
    }
  }

  private void receive() throws IOException {
    Poller.bePreferred();
    ByteBuf frame = Unpooled.directBuffer(FRAME_BYTES, FRAME_BYTES);
    ByteBuf ack = frame(false, 0);
    try (Poller poller = Poller.open(to.fd())) {
      int unacked = 0;
      int next = 0;
      while (!closed) {
        int n = to.read(frame.memoryAddress(), FRAME_BYTES);
        boolean idle = n == 0;
        if (n > HEAD_BYTES) {
          int payload = n - HEAD_BYTES;
          next = frame.getInt(TCP_OFFSET + 4) + payload;
          unacked += payload;
          onRead(payload);
        }
        if (unacked >= ACK_EVERY_BYTES || (idle && unacked > 0)) {
          ack.setInt(TCP_OFFSET + 8, next);
          to.write(ack.memoryAddress(), ack.readableBytes());
          unacked = 0;
        } else if (idle) {
          poller.await(PATIENCE_NANOS);
        }
      }
    } finally {
      frame.release();
      ack.release();
    }
  }

  private static ByteBuf frame(boolean forward, int payloadBytes) {
    ByteBuf b = Unpooled.directBuffer(FRAME_BYTES, FRAME_BYTES);
    b.writeByte(1).writeByte(payloadBytes > SEGMENT_BYTES ? 4 : 0);
    b.writeShortLE(HEAD_BYTES - VNET_BYTES).writeShortLE(SEGMENT_BYTES);
    b.writeShortLE(TCP_OFFSET - VNET_BYTES).writeShortLE(TcpHeader.CHECKSUM_OFFSET);
    ByteBuf packet = Unpooled.directBuffer(FRAME_BYTES);
    Ip6.write(
        packet,
        0,
        0,
        Ip6.PROTO_DEST_OPTS,
        64,
        forward ? LEFT_L64 : RIGHT_L64,
        forward ? LEFT_NID : RIGHT_NID,
        forward ? RIGHT_L64 : LEFT_L64,
        forward ? RIGHT_NID : LEFT_NID);
    NonceOption.write(packet, Ip6.PROTO_TCP, NonceOption.LONG, 1, 0x5000_0000_0000_0001L);
    TcpHeader h = new TcpHeader();
    h.clear();
    h.flags = TcpHeader.ACK;
    int upper = packet.writerIndex();
    h.write(packet);
    Ip6.completePartly(packet, upper, payloadBytes, Ip6.PROTO_TCP, TcpHeader.CHECKSUM_OFFSET, true);
    b.writeBytes(packet).writeZero(payloadBytes);
    packet.release();
    return b;
  }

  @Override
  public void close() {
    closed = true;
    try {
      for (Thread t : new Thread[] {sender, receiver}) {
        if (t != null) {
          t.join(1000);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    from.close();
    to.close();
  }
}
