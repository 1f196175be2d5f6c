package org.ilnp4j.tcp;

import static org.ilnp4j.tcp.MoveSteps.call;
import static org.ilnp4j.tcp.MoveSteps.closeWindow;
import static org.ilnp4j.tcp.MoveSteps.dropOne;
import static org.ilnp4j.tcp.MoveSteps.header;
import static org.ilnp4j.tcp.MoveSteps.isText;
import static org.ilnp4j.tcp.MoveSteps.open;
import static org.ilnp4j.tcp.MoveSteps.path;
import static org.ilnp4j.tcp.MoveSteps.sendHalf;
import static org.ilnp4j.tcp.MoveSteps.shutDown;
import static org.ilnp4j.tcp.MoveSteps.state;
import static org.ilnp4j.tcp.MoveSteps.tcb;
import static org.ilnp4j.tcp.MoveSteps.until;

import java.util.List;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.tcp.recovery.PathState.Phase;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.TcpHeader;

/**
 * What a connection can be in the middle of when its path changes. The client, on the mobile node,
 * is the side meant, and the sender where only one sends.
 */
enum MoveStage {
  SYN_SENT(Progress.CONNECTED) {
    @Override
    void bring(Pair p) {
      p.open(SOME, SOME);
      p.net.runFor(NanoClock.millis(2));
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.client) == TcpState.SYN_SENT && p.server.connection == null;
    }
  },

  SYN_SENT_BACKED_OFF(Progress.CONNECTED) {
    @Override
    void bring(Pair p) {
      p.net.filter = packet -> false;
      p.open(SOME, SOME);
      until(p, () -> tcb(p.client).handshake.timeouts() == 1);
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.client) == TcpState.SYN_SENT;
    }
  },

  SYN_RECEIVED_PASSIVE(Progress.CONNECTED) {
    @Override
    void bring(Pair p) {
      p.open(SOME, SOME);
      until(p, () -> p.server.connection != null);
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.server) == TcpState.SYN_RECEIVED && state(p.client) == TcpState.SYN_SENT;
    }
  },

  /** The acknowledgement of the SYN-ACK is lost, and so are its repetitions. */
  SYN_RECEIVED_BACKED_OFF(Progress.CONNECTED) {
    @Override
    void bring(Pair p) {
      p.open(SOME, SOME);
      until(p, () -> p.server.connection != null);
      p.net.filter = packet -> false;
      until(p, () -> tcb(p.server).handshake.timeouts() == 2);
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.server) == TcpState.SYN_RECEIVED;
    }
  },

  SYN_RECEIVED_SIMULTANEOUS(Progress.CONNECTED) {
    @Override
    void bring(Pair p) {
      p.server = new Stream(p.cn, SOME, 2, 1);
      p.client = new Stream(p.mn, SOME, 1, 2);
      p.listener = p.cn.engine.listen(Pair.PORT + 1, (now, pending) -> {});
      Correspondent toMn =
          p.ilnp
              ? p.cn.ilcc.open(p.net.now, Pair.MN_NID, List.of(Pair.L1), NanoClock.seconds(300))
              : p.cn.ilcc.openClassic(p.net.now, Pair.LC, Pair.MN_NID, Pair.L1);
      call(p, p.client, p.toCn(), 40_000, Pair.PORT);
      call(p, p.server, toMn, Pair.PORT, 40_000);
      until(p, () -> state(p.client) == TcpState.SYN_RECEIVED);
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.client) == TcpState.SYN_RECEIVED && state(p.server) == TcpState.SYN_RECEIVED;
    }
  },

  /** The server has answered by a cookie and remembers nothing. */
  SYN_COOKIE(Progress.CONNECTED) {
    @Override
    void bring(Pair p) {
      p.server = new Stream(p.cn, SOME, 2, 1);
      p.client = new Stream(p.mn, SOME, 1, 2);
      p.listener =
          p.cn.engine.listen(
              Pair.PORT, (now, pending) -> p.server.on(pending.accept(now, p.server)));
      p.client.on(p.mn.engine.connect(p.net.now, p.toCn(), Pair.PORT, p.client));
      for (int i = 0; i < p.cn.engine.config().backlog(); i++) {
        p.listener.halfOpened();
      }
      until(p, () -> p.cn.counters.get(Counter.TCP_SYN_COOKIES_SENT) == 1);
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.client) == TcpState.SYN_SENT && p.server.connection == null;
    }

    @Override
    void end(Pair p) {
      for (int i = 0; i < p.cn.engine.config().backlog(); i++) {
        p.listener.halfOpenOver();
      }
    }
  },

  IDLE(Progress.DONE) {
    @Override
    void bring(Pair p) {
      open(p, 0, 0, true, true);
      p.net.runFor(NanoClock.seconds(1));
    }

    @Override
    void act(Pair p) {
      shutDown(p, p.client, p.server);
    }
  },

  IDLE_FOR_LONG(Progress.DONE) {
    @Override
    void bring(Pair p) {
      open(p, SOME, SOME, true, true);
      p.net.runFor(NanoClock.seconds(100));
    }

    @Override
    void act(Pair p) {
      shutDown(p, p.client, p.server);
    }
  },

  SENDING(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      sendHalf(p, 0);
    }
  },

  RECEIVING(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      open(p, 0, MUCH, true, false);
      until(p, () -> p.client.received > MUCH / 2);
    }

    @Override
    void act(Pair p) {
      shutDown(p, p.client);
    }

    @Override
    Stream sender(Pair p) {
      return p.server;
    }
  },

  SENDING_BOTH_WAYS(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      sendHalf(p, MUCH);
    }
  },

  FAST_RECOVERY(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      sendHalf(p, 0);
      dropOne(p);
      until(p, () -> path(p.client).phase() == Phase.RECOVERY);
    }

    @Override
    boolean isReached(Pair p) {
      return path(p.client).phase() == Phase.RECOVERY;
    }
  },

  /** A few round trips with a loss in each: the recovery has lasted for some time. */
  FAST_RECOVERY_WITH_LOST_REPAIR(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      sendHalf(p, 0);
      int[] seq = {0};
      p.net.filter =
          packet -> {
            if (!isText(packet)) {
              return true;
            }
            seq[0] = seq[0] == 0 ? header(packet).seq : seq[0];
            return header(packet).seq != seq[0];
          };
      until(p, () -> path(p.client).phase() == Phase.RECOVERY);
      p.net.runFor(NanoClock.millis(70));
    }

    @Override
    boolean isReached(Pair p) {
      return path(p.client).phase() == Phase.RECOVERY;
    }
  },

  RTO_RECOVERY(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      sendHalf(p, 0);
      p.net.filter = packet -> false;
      until(p, () -> path(p.client).phase() == Phase.LOSS);
    }

    @Override
    boolean isReached(Pair p) {
      return path(p.client).phase() == Phase.LOSS;
    }
  },

  RTO_BACKED_OFF(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      sendHalf(p, 0);
      p.net.filter = packet -> false;
      until(p, () -> tcb(p.client).snd.recovery.timeouts == 6);
    }

    @Override
    boolean isReached(Pair p) {
      return path(p.client).rtt.isBackedOff();
    }
  },

  /** The time-out was a mistake: everything is still under way, but slow. */
  FORWARD_RTO(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      sendHalf(p, 0);
      p.net.access(Pair.L1).delayNanos += NanoClock.millis(400);
      until(p, () -> path(p.client).phase() == Phase.LOSS);
      p.net.access(Pair.L1).delayNanos -= NanoClock.millis(400);
    }

    @Override
    boolean isReached(Pair p) {
      return path(p.client).phase() == Phase.LOSS;
    }
  },

  TAIL_LOSS_PROBE(Progress.DONE) {
    @Override
    void bring(Pair p) {
      open(p, SOME, 0, true, true);
      int tail = tcb(p.client).snd.iss + SOME - 3000;
      p.net.filter = packet -> !isText(packet) || Seq.lt(header(packet).seq, tail);
      until(p, () -> tcb(p.client).snd.recovery.tailProbes == 1);
    }

    @Override
    boolean isReached(Pair p) {
      return p.server.received > SOME / 2
          && p.server.received < SOME
          && path(p.client).phase() == Phase.OPEN;
    }

    @Override
    void act(Pair p) {
      shutDown(p, p.client, p.server);
    }
  },

  REORDERING(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      sendHalf(p, 0);
      dropOne(p);
      until(p, () -> tcb(p.client).timers.isArmed(TimerKind.REORDER));
    }

    @Override
    boolean isReached(Pair p) {
      return tcb(p.client).timers.isArmed(TimerKind.REORDER);
    }
  },

  /** Long closed; the reader goes on while the path changes, and its word is lost. */
  ZERO_WINDOW(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      open(p, MUCH, 0, false, true);
      p.server.paused = true;
      until(p, () -> tcb(p.client).snd.sndWnd() == 0);
      p.net.runFor(NanoClock.seconds(30));
    }

    @Override
    boolean isReached(Pair p) {
      return tcb(p.client).timers.isArmed(TimerKind.PERSIST);
    }

    @Override
    void atMove(Pair p) {
      p.server.paused = false;
      p.server.drain(p.net.now);
    }

    @Override
    void act(Pair p) {
      shutDown(p, p.server);
    }
  },

  /** It stays closed over the move, and opens half a second later. */
  ZERO_WINDOW_FOR_LONGER(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      ZERO_WINDOW.bring(p);
    }

    @Override
    boolean isReached(Pair p) {
      return ZERO_WINDOW.isReached(p);
    }

    @Override
    void act(Pair p) {
      p.net.runFor(NanoClock.millis(500));
      p.server.paused = false;
      p.server.drain(p.net.now);
      shutDown(p, p.server);
    }
  },

  /** The other side takes back what it had offered. */
  SHRUNK_WINDOW(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      sendHalf(p, 0);
      p.net.filter =
          packet -> {
            if (packet.getLong(packet.readerIndex() + Ip6.SRC_L64) == Pair.LC) {
              closeWindow(packet);
            }
            return true;
          };
      p.net.runFor(NanoClock.seconds(5));
    }

    @Override
    boolean isReached(Pair p) {
      return tcb(p.client).snd.sndWnd() == 0;
    }
  },

  DELAYED_ACK(Progress.ACKNOWLEDGED) {
    @Override
    void bring(Pair p) {
      p.open(SOME, 0);
      p.client.keepOpen = true;
      p.client.trickle = true;
      p.server.keepOpen = true;
      p.net.runFor(NanoClock.seconds(2));
      p.client.allowed = 100;
      p.client.pump(p.net.now);
      until(p, () -> tcb(p.server).timers.isArmed(TimerKind.DELAYED_ACK));
    }

    @Override
    boolean isReached(Pair p) {
      return tcb(p.client).snd.bytesAcked == 0;
    }

    @Override
    void end(Pair p) {
      p.client.trickle = false;
      p.client.keepOpen = false;
      p.client.pump(p.net.now);
      shutDown(p, p.server);
    }
  },

  FIN_WAIT_1(Progress.DONE) {
    @Override
    void bring(Pair p) {
      open(p, SOME, SOME, true, false);
      p.net.runFor(NanoClock.millis(300));
      shutDown(p, p.client);
      p.net.runFor(NanoClock.millis(2));
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.client) == TcpState.FIN_WAIT_1 || state(p.client) == TcpState.LAST_ACK;
    }
  },

  FIN_LOST(Progress.DONE) {
    @Override
    void bring(Pair p) {
      open(p, SOME, 0, true, true);
      p.net.runFor(NanoClock.millis(300));
      p.net.filter = packet -> !header(packet).has(TcpHeader.FIN);
      shutDown(p, p.client);
      p.net.runFor(NanoClock.seconds(5));
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.client) == TcpState.FIN_WAIT_1 && path(p.client).rtt.isBackedOff();
    }

    @Override
    void act(Pair p) {
      shutDown(p, p.server);
    }
  },

  FIN_WAIT_2(Progress.DONE) {
    @Override
    void bring(Pair p) {
      open(p, SOME, 0, false, true);
      p.net.runFor(NanoClock.millis(500));
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.client) == TcpState.FIN_WAIT_2;
    }

    @Override
    void act(Pair p) {
      shutDown(p, p.server);
    }
  },

  FIN_WAIT_2_RECEIVING(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      open(p, 0, MUCH, false, false);
      until(p, () -> p.client.received > MUCH / 2);
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.client) == TcpState.FIN_WAIT_2;
    }

    @Override
    Stream sender(Pair p) {
      return p.server;
    }
  },

  CLOSE_WAIT(Progress.DONE) {
    @Override
    void bring(Pair p) {
      open(p, SOME, SOME, true, false);
      p.net.runFor(NanoClock.millis(500));
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.client) == TcpState.CLOSE_WAIT;
    }

    @Override
    void act(Pair p) {
      shutDown(p, p.client);
    }
  },

  CLOSE_WAIT_SENDING(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      sendHalf(p, 0);
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.client) == TcpState.CLOSE_WAIT;
    }
  },

  CLOSING(Progress.DONE) {
    @Override
    void bring(Pair p) {
      open(p, 0, 0, true, true);
      p.net.runFor(NanoClock.millis(500));
      shutDown(p, p.client, p.server);
      until(p, () -> state(p.client) == TcpState.CLOSING);
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.client) == TcpState.CLOSING;
    }
  },

  LAST_ACK(Progress.DONE) {
    @Override
    void bring(Pair p) {
      CLOSE_WAIT.bring(p);
      shutDown(p, p.client);
      p.net.runFor(NanoClock.millis(2));
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.client) == TcpState.LAST_ACK;
    }
  },

  LAST_ACK_WITH_LOST_FIN(Progress.DONE) {
    @Override
    void bring(Pair p) {
      CLOSE_WAIT.bring(p);
      p.net.filter = packet -> false;
      shutDown(p, p.client);
      p.net.runFor(NanoClock.seconds(5));
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.client) == TcpState.LAST_ACK && path(p.client).rtt.isBackedOff();
    }
  },

  /** The other side has not heard the last acknowledgement. */
  TIME_WAIT(Progress.DONE) {
    @Override
    void bring(Pair p) {
      FIN_WAIT_2.bring(p);
      p.net.filter = packet -> state(p.client) != TcpState.TIME_WAIT;
      shutDown(p, p.server);
      p.net.runFor(NanoClock.seconds(5));
    }

    @Override
    boolean isReached(Pair p) {
      return state(p.client) == TcpState.TIME_WAIT && state(p.server) == TcpState.LAST_ACK;
    }
  },

  ECN_REDUCTION(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      sendHalf(p, 0);
      p.net.filter =
          packet -> {
            int first = packet.getInt(packet.readerIndex());
            if (Ip6.ecn(first >>> 20) != 0) {
              packet.setInt(packet.readerIndex(), first | Ip6.ECN_CE << 20);
            }
            return true;
          };
      until(p, () -> path(p.client).isReducing());
    }

    @Override
    boolean isReached(Pair p) {
      return path(p.client).isReducing() && tcb(p.server).ecn.isEchoing();
    }
  },

  SIZE_PROBE(Progress.RECEIVED) {
    @Override
    void bring(Pair p) {
      p.mn.pathMtu.blackHole(p.net.now, new LocatorPair(Pair.L1, Pair.LC), 1500);
      open(p, MUCH, 0, false, false);
      until(p, () -> p.mn.counters.get(Counter.TCP_MTU_PROBES) == 1);
    }

    @Override
    boolean isReached(Pair p) {
      return tcb(p.client).snd.queue.inFlightBytes() > 0;
    }
  };

  /** By what it is seen that a connection gets on. */
  enum Progress {
    CONNECTED,
    RECEIVED,
    ACKNOWLEDGED,
    DONE
  }

  static final int SOME = 30_000;
  static final int MUCH = 2_000_000;

  final Progress progress;

  MoveStage(Progress progress) {
    this.progress = progress;
  }

  /** Opens the connection and brings it here; {@link TestNet#filter} may be set. */
  abstract void bring(Pair p);

  boolean isReached(Pair p) {
    return state(p.client) != TcpState.SYN_SENT && p.client.connected && p.server.connected;
  }

  /** What a program does at the moment of the change. */
  void atMove(Pair p) {}

  /** What a program does when the new path can be used, so that there is progress. */
  void act(Pair p) {}

  /** What is left to do before the connection ends. */
  void end(Pair p) {}

  /** Whose window is looked at. */
  Stream sender(Pair p) {
    return p.client;
  }

  /** A figure that grows with progress. */
  long mark(Pair p) {
    return switch (progress) {
      case CONNECTED -> p.client.connected && p.server.connected ? 1 : 0;
      case RECEIVED -> (sender(p) == p.client ? p.server : p.client).received;
      case ACKNOWLEDGED -> tcb(p.client).snd.bytesAcked;
      case DONE -> p.isDone() ? 1 : 0;
    };
  }

  /** No more progress is possible. */
  boolean isOver(Pair p) {
    return mark(p)
        == (progress == Progress.RECEIVED
            ? sender(p).toSend
            : progress == Progress.ACKNOWLEDGED ? 100 : 1);
  }
}
