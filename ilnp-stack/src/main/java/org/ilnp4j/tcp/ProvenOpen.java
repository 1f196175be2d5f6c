package org.ilnp4j.tcp;

import org.ilnp4j.ilnp.Correspondent;

/**
 * A caller that has answered a SYN cookie. The connection is established already, so a server that
 * does not want it can only reset it; what the caller sends meanwhile waits in its window.
 */
final class ProvenOpen extends OpenRequest {
  private final Tcb tcb;
  private boolean open = true;

  ProvenOpen(TcpListener listener, Tcb tcb) {
    super(listener);
    this.tcb = tcb;
    listener.waiting++;
  }

  @Override
  boolean isOpen() {
    return open;
  }

  /** The server has decided, or the caller has gone. Idempotent. */
  void close() {
    if (open) {
      open = false;
      listener.waiting--;
      tcb.engine.timers().remove(this);
      tcb.asking = null;
    }
  }

  @Override
  protected void fire(long nowNanos) {
    refuse(nowNanos);
  }

  @Override
  public Correspondent correspondent() {
    return tcb.correspondent();
  }

  @Override
  public int localPort() {
    return tcb.localPort();
  }

  @Override
  public int remotePort() {
    return tcb.remotePort();
  }

  @Override
  public TcpConnection accept(long nowNanos, TcpHandler handler) {
    if (!open || tcb.state() == TcpState.CLOSED) {
      return null;
    }
    close();
    tcb.handler(handler);
    tcb.engine.schedule(tcb);
    return tcb;
  }

  @Override
  public void refuse(long nowNanos) {
    if (open) {
      close();
      tcb.abort(nowNanos);
    }
  }
}
