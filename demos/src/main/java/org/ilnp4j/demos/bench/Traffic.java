package org.ilnp4j.demos.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Arrays;
import org.ilnp4j.tun.NetworkNamespace;

/**
 * Sends UDP packets at an even pace from one namespace to another and takes them in again, on one
 * thread that never sleeps: so one clock reading before and one after tell how long each took.
 */
final class Traffic implements AutoCloseable {
  static final int PACKET_BYTES = 1500;
  private static final int IP_AND_UDP_BYTES = 48;
  private static final int PORT = 9000;
  private static final int SOCKET_BUFFER_BYTES = 8 << 20;

  /** How long after the last packet was sent the others may still arrive, beyond the delay. */
  private static final long GRACE_NANOS = 300_000_000;

  private final DatagramChannel from;
  private final DatagramChannel to;
  private final ByteBuffer out = ByteBuffer.allocateDirect(PACKET_BYTES - IP_AND_UDP_BYTES);
  private final ByteBuffer in = ByteBuffer.allocateDirect(PACKET_BYTES);

  /**
   * What became of one run.
   *
   * @param sent packets
   * @param sendNanos from the first packet sent to the last
   * @param receiveNanos from the first packet received to the last
   * @param tookNanos how long each packet took that arrived, ascending
   */
  record Result(int sent, long sendNanos, long receiveNanos, long[] tookNanos) {
    int received() {
      return tookNanos.length;
    }

    double offeredMbits() {
      return mbits(sent, sendNanos);
    }

    double receivedMbits() {
      return mbits(received(), receiveNanos);
    }

    private static double mbits(int packets, long nanos) {
      return (packets - 1) * PACKET_BYTES * 8e3 / nanos;
    }

    /** The time that {@code percent} of the packets did not exceed, in microseconds. */
    double tookUs(double percent) {
      int i = (int) Math.ceil(received() * percent / 100) - 1;
      return tookNanos[Math.max(0, i)] / 1e3;
    }
  }

  private Traffic(DatagramChannel from, DatagramChannel to) {
    this.from = from;
    this.to = to;
  }

  /** Between addresses that the namespaces have. */
  static Traffic open(
      String fromNamespace, String fromAddress, String toNamespace, String toAddress)
      throws IOException {
    DatagramChannel from = socket(fromNamespace, fromAddress, toAddress);
    try {
      return new Traffic(from, socket(toNamespace, toAddress, fromAddress));
    } catch (IOException | RuntimeException e) {
      from.close();
      throw e;
    }
  }

  private static DatagramChannel socket(String namespace, String own, String peer)
      throws IOException {
    return NetworkNamespace.call(
        namespace,
        () -> {
          DatagramChannel c = DatagramChannel.open();
          c.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER_BYTES);
          c.bind(new InetSocketAddress(own, PORT));
          c.connect(new InetSocketAddress(peer, PORT));
          c.configureBlocking(false);
          return c;
        });
  }

  /**
   * Sends {@code packets} at {@code bitsPerSecond} (of IP) and waits until they are in or lost.
   *
   * @param delayNanos of the link: how long to wait for the last ones
   */
  Result run(int packets, long bitsPerSecond, long delayNanos) throws IOException {
    long gapNanos = PACKET_BYTES * 8_000_000_000L / bitsPerSecond;
    long[] took = new long[packets];
    int sent = 0;
    int received = 0;
    long firstIn = 0;
    long lastIn = 0;
    long start = System.nanoTime();
    long lastOut = start;
    while (received < packets) {
      long now = System.nanoTime();
      if (sent < packets && now - start >= sent * gapNanos) {
        out.clear().putLong(0, now);
        sent += from.write(out) > 0 ? 1 : 0;
        lastOut = now;
      } else if (sent == packets && now - lastOut > delayNanos + GRACE_NANOS) {
        break;
      }
      if (to.read(in.clear()) > 0) {
        lastIn = System.nanoTime();
        firstIn = received == 0 ? lastIn : firstIn;
        took[received++] = lastIn - in.getLong(0);
      }
    }
    took = Arrays.copyOf(took, received);
    Arrays.sort(took);
    return new Result(sent, lastOut - start, lastIn - firstIn, took);
  }

  @Override
  public void close() throws IOException {
    from.close();
    to.close();
  }
}
