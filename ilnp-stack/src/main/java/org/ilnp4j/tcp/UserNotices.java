package org.ilnp4j.tcp;

import java.util.Objects;

/**
 * What the user of a connection is still to be told, and in which order: connected, readable,
 * writable, closed. Told only from {@link Tcb#turn}.
 */
final class UserNotices {
  private final Tcb tcb;

  /** Null while a server is asked whether it wants the connection. */
  private TcpHandler handler;

  private boolean connectedDue;
  private boolean stalledDue;
  private boolean readableDue;

  /** Something was read since readable was last told. */
  private boolean readSince = true;

  private boolean endTold;
  private boolean closedTold;

  UserNotices(Tcb tcb, TcpHandler handler) {
    this.tcb = tcb;
    this.handler = handler;
  }

  void handler(TcpHandler newHandler) {
    handler = Objects.requireNonNull(newHandler, "handler");
  }

  void connected() {
    connectedDue = true;
  }

  /** The other side has been silent for long (R1 of RFC 9293 §3.8.3). */
  void stalled() {
    stalledDue = true;
  }

  /** New data came, or the end. */
  void readable() {
    readableDue |= readSince;
  }

  /** The user has read; true when there is more to tell of. */
  boolean onRead() {
    readSince = true;
    readableDue = tcb.rcv.readableBytes() > 0 || isEndNew();
    return readableDue;
  }

  private boolean isEndNew() {
    return tcb.isEndOfStream() && !endTold;
  }

  void tell(long nowNanos) {
    if (handler == null) {
      return;
    }
    if (connectedDue) {
      connectedDue = false;
      handler.onConnected(nowNanos, tcb);
    }
    if (readableDue) {
      readableDue = false;
      boolean end = isEndNew();
      if (end || tcb.rcv.readableBytes() > 0) {
        endTold |= end;
        readSince = false;
        handler.onReadable(nowNanos, tcb);
      }
    }
    if (stalledDue) {
      stalledDue = false;
      handler.onStalled(nowNanos, tcb);
    }
    if (tcb.state().canSend() && tcb.snd.takeWritable()) {
      handler.onWritable(nowNanos, tcb);
    }
  }

  /** After a good end the user comes to the end of the stream first, unless it has closed. */
  void tellClosed(long nowNanos, TcpCloseReason reason) {
    boolean mayWait = reason == TcpCloseReason.NORMAL && !tcb.isUserClosed();
    if (closedTold || (mayWait && (readableDue || tcb.rcv.readableBytes() > 0))) {
      return;
    }
    closedTold = true;
    if (handler != null) {
      handler.onClosed(nowNanos, tcb, reason);
    }
    tcb.rcv.clear();
  }
}
