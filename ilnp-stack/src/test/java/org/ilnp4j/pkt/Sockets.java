package org.ilnp4j.pkt;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ilnp4j.pkt.Arg.Array;
import org.ilnp4j.pkt.Arg.Struct;
import org.ilnp4j.pkt.Result.Attempt;
import org.ilnp4j.tcp.TcpPending;

/** The socket calls of a script, on top of the host's TCP. */
final class Sockets {
  private static final int MAX_TRANSFER = 64 << 20;

  /** Calls whose first argument is a socket. */
  private static final Set<String> ON_SOCKETS =
      Set.of(
          "bind",
          "listen",
          "accept",
          "accept4",
          "connect",
          "read",
          "recv",
          "recvfrom",
          "readv",
          "recvmsg",
          "write",
          "send",
          "sendto",
          "writev",
          "sendmsg",
          "shutdown",
          "fcntl",
          "ioctl",
          "getsockopt",
          "setsockopt");

  /** Told when a call changes which connection the script's packets belong to. */
  interface Watcher {
    void onSocket(Sock s);

    void onListen(int port);

    void onConnect(Sock s);

    void onChild(Sock child);
  }

  private final Machine machine;
  private final Watcher watcher;
  private final SocketOptions options;
  private final Polls polls = new Polls(this);
  private final Map<Long, Sock> byDescriptor = new HashMap<>();

  Sockets(Machine machine, Settings settings, boolean ipv4, Watcher watcher) {
    this.machine = machine;
    this.watcher = watcher;
    options = new SocketOptions(machine, settings, ipv4);
  }

  /** The socket of a descriptor, or null. */
  Sock get(long fd) {
    return byDescriptor.get(fd);
  }

  Attempt start(SysCall c) {
    if (c.errno().equals("EFAULT")) {
      throw ScriptStop.unsupported("pointers to nowhere");
    }
    if (takesSocket(c) && !byDescriptor.containsKey(Arg.number(c.arg(0)))) {
      return once(Result.error("EBADF"));
    }
    return switch (c.name()) {
      case "socket" -> once(socket(c));
      case "bind" -> once(bind(c, sock(c)));
      case "listen" -> once(listen(c, sock(c)));
      case "accept", "accept4" -> accept(c, sock(c));
      case "connect" -> connect(c, sock(c));
      case "read" -> receive(c, sock(c), number(c, 2), "");
      case "recv", "recvfrom" -> receive(c, sock(c), number(c, 2), flags(c, 3));
      case "readv" -> receive(c, sock(c), vector(c.arg(1)), "");
      case "recvmsg" -> receiveMessage(c);
      case "write" -> send(sock(c), number(c, 2), "");
      case "send", "sendto" -> send(sock(c), number(c, 2), flags(c, 3));
      case "writev" -> send(sock(c), vector(c.arg(1)), "");
      case "sendmsg" -> sendMessage(c);
      case "shutdown" -> once(shutdown(c, sock(c)));
      case "close" -> once(close(c));
      case "fcntl" -> once(fcntl(c, sock(c)));
      case "ioctl" -> once(ioctl(c, sock(c)));
      case "getsockopt" -> once(options.get(c, sock(c)));
      case "setsockopt" -> once(options.set(c, sock(c)));
      case "poll" -> polls.poll(c);
      case "epoll_create", "epoll_create1" -> once(polls.create(c));
      case "epoll_ctl" -> once(polls.control(c));
      case "epoll_wait" -> polls.await(c);
      default -> throw ScriptStop.unsupported("call " + c.name());
    };
  }

  private static boolean takesSocket(SysCall c) {
    return ON_SOCKETS.contains(c.name()) && !c.arguments().isEmpty() && Arg.isNumber(c.arg(0));
  }

  private static Attempt once(Result r) {
    return () -> r;
  }

  private Sock sock(SysCall c) {
    Sock s = byDescriptor.get(Arg.number(c.arg(0)));
    if (s == null) {
      throw ScriptStop.fail("socket call", "an open descriptor", c.arg(0));
    }
    return s;
  }

  private static int number(SysCall c, int i) {
    long n = Arg.number(c.arg(i));
    if (n < 0 || n > MAX_TRANSFER) {
      throw ScriptStop.unsupported("a transfer of " + n + " octets");
    }
    return (int) n;
  }

  private static String flags(SysCall c, int i) {
    return i < c.arguments().size() ? c.arg(i).toString() : "";
  }

  // ---- opening --------------------------------------------------------------------------------

  private Result socket(SysCall c) {
    Arg kind = c.arg(1);
    if (!Arg.has(kind, "SOCK_STREAM")) {
      throw ScriptStop.unsupported("sockets of type " + kind);
    }
    Arg protocol = c.arg(2);
    if (!(Arg.has(protocol, "IPPROTO_TCP") || Arg.isNumber(protocol))) {
      throw ScriptStop.unsupported("sockets of protocol " + protocol);
    }
    Sock s = new Sock(machine);
    s.nonBlocking = Arg.has(kind, "SOCK_NONBLOCK");
    long fd = Arg.number(c.result()); // the script chooses its names
    byDescriptor.put(fd, s);
    watcher.onSocket(s);
    return Result.of(fd);
  }

  /** The port of a {@code sockaddr}, or {@code otherwise} when the script leaves it open. */
  private static int port(Arg address, int otherwise) {
    if (address instanceof Struct s) {
      Arg port = s.get("sin_port") == null ? s.get("sin6_port") : s.get("sin_port");
      return port == null || !Arg.isNumber(port) ? otherwise : (int) Arg.number(port);
    }
    return otherwise;
  }

  private Result bind(SysCall c, Sock s) {
    s.port = port(c.arg(1), Sock.DEFAULT_PORT);
    return Result.of(0);
  }

  private Result listen(SysCall c, Sock s) {
    s.backlog = (int) Arg.number(c.arg(1));
    if (s.isListening()) {
      return Result.of(0);
    }
    try {
      s.listener = machine.host.listen(s.port, (now, pending) -> onSyn(now, s, pending));
    } catch (IllegalStateException e) {
      return Result.error("EADDRINUSE");
    }
    watcher.onListen(s.port);
    return Result.of(0);
  }

  private void onSyn(long nowNanos, Sock s, TcpPending pending) {
    if (s.established.size() > s.backlog) {
      return; // as kernels do: no answer, the caller repeats
    }
    Sock child = s.child();
    child.connection = pending.accept(nowNanos, child);
    watcher.onChild(child);
  }

  private Attempt accept(SysCall c, Sock s) {
    return () -> {
      if (!s.isListening()) {
        return Result.error("EINVAL");
      }
      Sock child = s.established.poll();
      if (child == null) {
        return s.nonBlocking ? Result.error("EAGAIN") : Result.BLOCKS;
      }
      child.nonBlocking = c.arguments().size() > 3 && Arg.has(c.arg(3), "SOCK_NONBLOCK");
      long fd = Arg.isNumber(c.result()) ? Arg.number(c.result()) : -1;
      byDescriptor.put(fd, child);
      watcher.onChild(child);
      return Result.of(fd);
    };
  }

  private Attempt connect(SysCall c, Sock s) {
    if (s.connection == null) {
      int port = port(c.arg(1), Sock.DEFAULT_PORT);
      s.connection = machine.connect(port, s);
      options.prepare(s);
      watcher.onConnect(s);
      machine.turn();
      return s.nonBlocking && s.isConnecting()
          ? once(Result.error("EINPROGRESS"))
          : () -> connected(s, Result.BLOCKS);
    }
    return () -> {
      if (s.connectReported) {
        return Result.error("EISCONN");
      }
      return connected(s, s.nonBlocking ? Result.error("EALREADY") : Result.BLOCKS);
    };
  }

  private static Result connected(Sock s, Result otherwise) {
    if (s.hasError()) {
      return Result.error(s.takeError());
    }
    if (s.isClosed()) {
      return Result.error("ECONNABORTED");
    }
    s.connectReported = s.connected;
    return s.connected ? Result.of(0) : otherwise;
  }

  // ---- receiving ------------------------------------------------------------------------------

  private Attempt receive(SysCall c, Sock s, int most, String flags) {
    if (flags.contains("MSG_OOB")
        || flags.contains("MSG_ERRQUEUE")
        || flags.contains("MSG_ZEROCOPY")) {
      throw ScriptStop.unsupported(flags);
    }
    boolean peek = flags.contains("MSG_PEEK");
    boolean all = flags.contains("MSG_WAITALL");
    boolean wait = !s.nonBlocking && !flags.contains("MSG_DONTWAIT");
    int[] got = {0};
    return () -> {
      if (s.connection == null) {
        return Result.error("ENOTCONN");
      }
      if (peek) {
        if (s.readable() > 0) {
          return Result.of(Math.min(most, s.readable()));
        }
      } else {
        got[0] += s.read(most - got[0]);
        if (got[0] == most || (got[0] > 0 && !all)) {
          machine.turn(); // the window may have opened
          return Result.of(got[0]);
        }
      }
      if (s.hasError() && got[0] == 0) {
        return Result.error(s.takeError());
      }
      if (s.isEnd()) {
        return Result.of(got[0]);
      }
      if (s.isConnecting() && s.nonBlocking) {
        return Result.error("EAGAIN");
      }
      return wait ? Result.BLOCKS : Result.error("EAGAIN");
    };
  }

  /** The octets an array of {@code {..., length}} stands for. */
  private static int vector(Arg a) {
    long sum = 0;
    if (a instanceof Array l) {
      for (Arg item : l.items()) {
        if (item instanceof Struct s && s.members().size() == 2) {
          sum += Arg.number(s.members().get(1).value());
        }
      }
    }
    if (sum > MAX_TRANSFER) {
      throw ScriptStop.unsupported("a transfer of " + sum + " octets");
    }
    return (int) sum;
  }

  private static Struct message(SysCall c) {
    if (!(c.arg(1) instanceof Struct m) || m.get("msg_iov") == null) {
      throw ScriptStop.syntax("a message with msg_iov", c.arg(1).toString());
    }
    if (m.get("msg_control") instanceof Array control && !control.items().isEmpty()) {
      throw ScriptStop.unsupported("control messages");
    }
    return m;
  }

  private Attempt receiveMessage(SysCall c) {
    Struct m = message(c);
    return receive(c, sock(c), vector(m.get("msg_iov")), flags(c, 2));
  }

  // ---- sending --------------------------------------------------------------------------------

  private Attempt send(Sock s, int bytes, String flags) {
    for (String f : List.of("MSG_OOB", "MSG_MORE", "MSG_ZEROCOPY", "MSG_FASTOPEN", "MSG_EOR")) {
      if (flags.contains(f)) {
        throw ScriptStop.unsupported(f);
      }
    }
    boolean wait = !s.nonBlocking && !flags.contains("MSG_DONTWAIT");
    int[] done = {0};
    return () -> {
      if (s.hasError()) {
        return Result.error(s.takeError());
      }
      if (!s.mayWrite()) {
        return Result.error(s.connection == null ? "ENOTCONN" : "EPIPE");
      }
      if (s.isConnecting()) {
        return wait ? Result.BLOCKS : Result.error("EAGAIN");
      }
      int n;
      do {
        n = s.write(bytes - done[0]);
        done[0] += n;
        machine.turn();
      } while (n > 0 && done[0] < bytes);
      if (done[0] == bytes || (!wait && done[0] > 0)) {
        return Result.of(done[0]);
      }
      return wait ? Result.BLOCKS : Result.error("EAGAIN");
    };
  }

  private Attempt sendMessage(SysCall c) {
    Struct m = message(c);
    return send(sock(c), vector(m.get("msg_iov")), flags(c, 2));
  }

  // ---- ending ---------------------------------------------------------------------------------

  private Result shutdown(SysCall c, Sock s) {
    Arg how = c.arg(1);
    if (s.connection == null || s.isClosed() || s.isConnecting()) {
      return Result.error("ENOTCONN");
    }
    boolean both = Arg.has(how, "SHUT_RDWR");
    if (both || Arg.has(how, "SHUT_RD")) {
      s.readShut = true;
    }
    if (both || Arg.has(how, "SHUT_WR")) {
      s.connection.shutdownOutput(machine.now);
    }
    return Result.of(0);
  }

  private Result close(SysCall c) {
    long fd = Arg.number(c.arg(0));
    if (polls.close(fd)) {
      return Result.of(0);
    }
    Sock s = byDescriptor.remove(fd);
    if (s == null) {
      return Result.error("EBADF");
    }
    s.close();
    return Result.of(0);
  }

  // ---- the rest -------------------------------------------------------------------------------

  private static Result fcntl(SysCall c, Sock s) {
    switch (Arg.word(c.arg(1))) {
      case "F_GETFL":
        return Result.of(s.nonBlocking ? 0x802 : 2);
      case "F_SETFL":
        s.nonBlocking = Arg.has(c.arg(2), "O_NONBLOCK");
        return Result.of(0);
      default:
        throw ScriptStop.unsupported("fcntl " + c.arg(1));
    }
  }

  private Result ioctl(SysCall c, Sock s) {
    long value;
    switch (Arg.word(c.arg(1))) {
      case "SIOCINQ", "FIONREAD" -> value = s.readable();
      case "SIOCOUTQ", "TIOCOUTQ" ->
          value = s.connection == null ? 0 : s.connection.info(machine.now).sendQueueBytes();
      default -> throw ScriptStop.unsupported("ioctl " + c.arg(1));
    }
    if (Arg.isNumber(c.arg(2)) && Arg.number(c.arg(2)) != value) {
      throw ScriptStop.fail("ioctl " + c.arg(1), c.arg(2), value);
    }
    return Result.of(0);
  }
}
