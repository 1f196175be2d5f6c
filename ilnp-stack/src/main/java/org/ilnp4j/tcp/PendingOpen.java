package org.ilnp4j.tcp;

import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;

/** A SYN that the server has not decided about. Holds no buffers; goes by itself in the end. */
final class PendingOpen extends OpenRequest {
  private final TcpEngine engine;
  private final Correspondent correspondent;
  private final int localPort;
  private final int remotePort;

  /** The connection before it, in TIME-WAIT, ended here; 0 when there was none. */
  final int leastIsn;

  final boolean hasLeastIsn;

  int synSeq;
  SynOptions syn;
  long localL64;
  private boolean open = true;

  PendingOpen(
      TcpEngine engine,
      TcpListener listener,
      Correspondent correspondent,
      PacketView view,
      TcpHeader h,
      Tcb before) {
    super(listener);
    this.engine = engine;
    this.correspondent = correspondent;
    localPort = h.dstPort;
    remotePort = h.srcPort;
    hasLeastIsn = before != null;
    leastIsn = before == null ? 0 : IsnGenerator.after(before);
    update(view, h);
  }

  private void update(PacketView view, TcpHeader h) {
    synSeq = h.seq;
    syn = SynOptions.of(view, h);
    localL64 = view.dstL64;
  }

  /** Something else came from the caller before it was answered. */
  DropReason onSegment(long nowNanos, PacketView view, TcpHeader h) {
    if (h.has(TcpHeader.RST)) {
      if (h.seq != synSeq + 1) {
        return DropReason.TCP_RST_INVALID;
      }
      engine.listening().drop(nowNanos, this);
      return null;
    }
    if (h.has(TcpHeader.SYN) && !h.has(TcpHeader.ACK)) {
      update(view, h); // repeated, or given up and tried anew
      return null;
    }
    return DropReason.TCP_NO_CONNECTION;
  }

  @Override
  boolean isOpen() {
    return open;
  }

  void close() {
    open = false;
  }

  @Override
  protected void fire(long nowNanos) {
    engine.listening().drop(nowNanos, this);
  }

  @Override
  public Correspondent correspondent() {
    return correspondent;
  }

  @Override
  public int localPort() {
    return localPort;
  }

  @Override
  public int remotePort() {
    return remotePort;
  }

  @Override
  public TcpConnection accept(long nowNanos, TcpHandler handler) {
    return open ? engine.listening().accept(nowNanos, this, handler) : null;
  }

  @Override
  public void refuse(long nowNanos) {
    if (open) {
      engine.listening().refuse(this);
    }
  }
}
