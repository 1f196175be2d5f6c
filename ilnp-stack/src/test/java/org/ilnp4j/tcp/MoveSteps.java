package org.ilnp4j.tcp;

import io.netty.buffer.ByteBuf;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;

/** Ways to bring a connection to a {@link MoveStage}, and looks inside it. */
final class MoveSteps {
  private MoveSteps() {}

  static void open(
      Pair p, long fromClient, long fromServer, boolean clientStays, boolean serverStays) {
    p.open(fromClient, fromServer);
    p.client.keepOpen = clientStays;
    p.server.keepOpen = serverStays;
    until(p, () -> p.client.connected && p.server.connected);
  }

  /** The client sends until half of it has arrived; the server has sent what it had. */
  static void sendHalf(Pair p, long fromServer) {
    open(p, MoveStage.MUCH, fromServer, false, false);
    until(p, () -> p.server.received > MoveStage.MUCH / 2);
  }

  static void call(Pair p, Stream s, Correspondent c, int localPort, int remotePort) {
    TcpEngine engine = s.node.engine;
    Handshake handshake = Handshake.active(engine.config());
    Tcb t = new Tcb(engine, c, localPort, remotePort, s, TcpState.SYN_SENT, handshake);
    t.snd.start(p.net.now, engine.isn().next(p.net.now, c, localPort, remotePort));
    t.modes.arm(p.net.now);
    c.retain();
    engine.link(t);
    engine.schedule(t);
    s.on(t);
  }

  static void shutDown(Pair p, Stream... sides) {
    for (Stream s : sides) {
      s.connection.shutdownOutput(p.net.now);
    }
  }

  static void until(Pair p, BooleanSupplier condition) {
    p.net.await(NanoClock.seconds(120), condition);
  }

  /** The next segment with text from the client is lost. */
  static void dropOne(Pair p) {
    boolean[] dropped = {false};
    Predicate<ByteBuf> filter =
        packet -> {
          boolean drop = !dropped[0] && isText(packet);
          dropped[0] |= drop;
          return !drop;
        };
    p.net.filter = filter;
  }

  static boolean isText(ByteBuf packet) {
    return packet.getLong(packet.readerIndex() + Ip6.SRC_NID) == Pair.MN_NID
        && header(packet).payloadLength > 0;
  }

  static TcpHeader header(ByteBuf packet) {
    PacketView v = new PacketView();
    TcpHeader h = new TcpHeader();
    v.parse(packet);
    h.parse(packet, v.upperIndex, v.upperLength);
    return h;
  }

  /** Sets the window to zero and mends the checksum (RFC 1624). */
  static void closeWindow(ByteBuf packet) {
    PacketView v = new PacketView();
    v.parse(packet);
    int window = v.upperIndex + 14;
    int checksum = v.upperIndex + TcpHeader.CHECKSUM_OFFSET;
    int sum = (~packet.getShort(checksum) & 0xffff) + (~packet.getShort(window) & 0xffff);
    sum = (sum & 0xffff) + (sum >>> 16);
    packet.setShort(checksum, ~sum);
    packet.setShort(window, 0);
  }

  static Tcb tcb(Stream s) {
    return (Tcb) s.connection;
  }

  static PathState path(Stream s) {
    return tcb(s).paths.current();
  }

  static TcpState state(Stream s) {
    return s.connection.state();
  }
}
