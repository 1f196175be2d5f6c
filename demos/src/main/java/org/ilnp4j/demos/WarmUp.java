package org.ilnp4j.demos;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.List;
import org.ilnp4j.link.FaultInjector;
import org.ilnp4j.mobility.MobilityObserver;
import org.ilnp4j.sim.EmbeddedNetwork;
import org.ilnp4j.sim.SimNetwork;
import org.ilnp4j.tcp.TcpCloseReason;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;
import org.ilnp4j.time.NanoClock;

/**
 * Moves a download softly and hard in a simulated network before a daemon starts. A move is rare
 * and must be quick the first time; this way its code has been loaded and compiled by then.
 */
final class WarmUp {
  private static final int PORT = 80;
  private static final int CHUNK_BYTES = 64 * 1024;
  private static final long STEP_NANOS = NanoClock.millis(400);
  private static final int ROUNDS = 3;

  private WarmUp() {}

  /** Takes some tenths of a second; no packet leaves the process. */
  static void run() {
    try (SimNetwork network = new SimNetwork(1, PooledByteBufAllocator.DEFAULT)) {
      EmbeddedNetwork net =
          new EmbeddedNetwork(network, EmbeddedNetwork.Scene.DEFAULT, MobilityObserver.NONE);
      network.runUntil(net::isReady, NanoClock.seconds(10));
      net.correspondent().host().listen(PORT, (now, pending) -> pending.accept(now, new Source()));
      net.mobile()
          .host()
          .connect(
              network.nowNanos(),
              EmbeddedNetwork.CORRESPONDENT_NID,
              List.of(EmbeddedNetwork.CORRESPONDENT_L64),
              PORT,
              new Sink());
      net.mobile().endTurn(network.nowNanos());
      for (int i = 0; i < ROUNDS; i++) {
        pass(network);
        net.access(1).up(); // soft
        pass(network);
        net.access(0).down(FaultInjector.Cut.DROP);
        pass(network);
        net.access(1).down(FaultInjector.Cut.DROP);
        pass(network);
        net.access(0).up(); // hard
        pass(network);
      }
    }
  }

  private static void pass(SimNetwork network) {
    network.runUntil(network.nowNanos() + STEP_NANOS);
  }

  /** Sends whenever there is room. */
  private static final class Source implements TcpHandler {
    @Override
    public void onConnected(long nowNanos, TcpConnection c) {
      onWritable(nowNanos, c);
    }

    @Override
    public void onReadable(long nowNanos, TcpConnection c) {}

    @Override
    public void onWritable(long nowNanos, TcpConnection c) {
      int space = c.sendSpaceBytes();
      while (space > 0) {
        ByteBuf data = PooledByteBufAllocator.DEFAULT.directBuffer(CHUNK_BYTES);
        data.writeZero(Math.min(space, CHUNK_BYTES));
        c.send(nowNanos, data);
        space = c.sendSpaceBytes();
      }
    }

    @Override
    public void onClosed(long nowNanos, TcpConnection c, TcpCloseReason reason) {}
  }

  /** Reads all that comes. */
  private static final class Sink implements TcpHandler {
    @Override
    public void onConnected(long nowNanos, TcpConnection c) {}

    @Override
    public void onReadable(long nowNanos, TcpConnection c) {
      for (ByteBuf b = c.read(nowNanos, CHUNK_BYTES);
          b != null;
          b = c.read(nowNanos, CHUNK_BYTES)) {
        b.release();
      }
    }

    @Override
    public void onWritable(long nowNanos, TcpConnection c) {}

    @Override
    public void onClosed(long nowNanos, TcpConnection c, TcpCloseReason reason) {}
  }
}
