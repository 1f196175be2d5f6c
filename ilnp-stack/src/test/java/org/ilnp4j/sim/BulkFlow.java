package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.SplittableRandom;
import org.ilnp4j.tcp.TcpCloseReason;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;
import org.ilnp4j.tcp.TcpPending;

/**
 * One download from the correspondent to the mobile node: a server that sends known octets as fast
 * as it may, a client that reads at once, checks each octet and notes when data came.
 */
final class BulkFlow {
  private static final int CHUNK_BYTES = 32 << 10;

  /** A prime. */
  private static final int PERIOD_BYTES = 65_521;

  private static final ByteBuf PATTERN = pattern();

  private final EmbeddedNetwork scene;
  private final ByteBufAllocator allocator;
  private final long totalBytes;
  TcpConnection client;
  TcpConnection server;
  TcpCloseReason clientEnd;
  TcpCloseReason serverEnd;
  long sentBytes;
  long receivedBytes;
  long wrongReads;
  boolean endOfStream;
  private long lastDataNanos;
  private long longestGapNanos;
  private long gapEndNanos;

  BulkFlow(EmbeddedNetwork scene, ByteBufAllocator allocator, long totalBytes) {
    this.scene = scene;
    this.allocator = allocator;
    this.totalBytes = totalBytes;
  }

  void start(int port) {
    SimNetwork network = scene.network();
    scene.correspondent().host().listen(port, this::onSyn);
    client =
        scene
            .mobile()
            .host()
            .connect(
                network.nowNanos(),
                EmbeddedNetwork.CORRESPONDENT_NID,
                List.of(EmbeddedNetwork.CORRESPONDENT_L64),
                port,
                new Client());
  }

  boolean isComplete() {
    return endOfStream;
  }

  boolean isClosed() {
    return clientEnd != null && serverEnd != null;
  }

  /** Forgets gaps so far. */
  void watchGaps(long nowNanos) {
    longestGapNanos = 0;
    lastDataNanos = nowNanos;
  }

  /** The longest time without new data since {@link #watchGaps}. */
  long longestGapNanos() {
    return longestGapNanos;
  }

  /** When that gap ended. */
  long gapEndNanos() {
    return gapEndNanos;
  }

  /** The stream repeats this, at a distance that no segment size divides. */
  private static ByteBuf pattern() {
    byte[] octets = new byte[PERIOD_BYTES + CHUNK_BYTES];
    new SplittableRandom(1).nextBytes(octets);
    System.arraycopy(octets, 0, octets, PERIOD_BYTES, CHUNK_BYTES);
    return Unpooled.wrappedBuffer(octets);
  }

  private void onSyn(long nowNanos, TcpPending pending) {
    server = pending.accept(nowNanos, new Server());
  }

  private final class Server implements TcpHandler {
    @Override
    public void onConnected(long nowNanos, TcpConnection c) {
      fill(nowNanos, c);
    }

    @Override
    public void onReadable(long nowNanos, TcpConnection c) {}

    @Override
    public void onWritable(long nowNanos, TcpConnection c) {
      fill(nowNanos, c);
    }

    private void fill(long nowNanos, TcpConnection c) {
      while (sentBytes < totalBytes) {
        int space =
            (int) Math.min(Math.min(c.sendSpaceBytes(), CHUNK_BYTES), totalBytes - sentBytes);
        if (space == 0) {
          return;
        }
        ByteBuf data = allocator.directBuffer(space);
        data.writeBytes(PATTERN, (int) (sentBytes % PERIOD_BYTES), space);
        sentBytes += space;
        c.send(nowNanos, data);
      }
      c.close(nowNanos);
    }

    @Override
    public void onClosed(long nowNanos, TcpConnection c, TcpCloseReason reason) {
      serverEnd = reason;
    }
  }

  private final class Client implements TcpHandler {
    @Override
    public void onConnected(long nowNanos, TcpConnection c) {
      lastDataNanos = nowNanos;
    }

    @Override
    public void onReadable(long nowNanos, TcpConnection c) {
      if (c.readableBytes() > 0) {
        if (nowNanos - lastDataNanos > longestGapNanos) {
          longestGapNanos = nowNanos - lastDataNanos;
          gapEndNanos = nowNanos;
        }
        lastDataNanos = nowNanos;
      }
      ByteBuf data;
      while ((data = c.read(nowNanos, CHUNK_BYTES)) != null) {
        int bytes = data.readableBytes();
        int at = (int) (receivedBytes % PERIOD_BYTES);
        if (!ByteBufUtil.equals(data, data.readerIndex(), PATTERN, at, bytes)) {
          wrongReads++;
        }
        receivedBytes += bytes;
        data.release();
      }
      if (c.isEndOfStream()) {
        endOfStream = true;
        c.close(nowNanos);
      }
    }

    @Override
    public void onWritable(long nowNanos, TcpConnection c) {}

    @Override
    public void onClosed(long nowNanos, TcpConnection c, TcpCloseReason reason) {
      clientEnd = reason;
    }
  }
}
