package org.ilnp4j.pkt;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.ilnp4j.pkt.Arg.Array;
import org.ilnp4j.pkt.Arg.Struct;
import org.ilnp4j.pkt.Arg.Words;
import org.ilnp4j.pkt.Result.Attempt;

/** {@code poll} and {@code epoll}. */
final class Polls {
  /** A descriptor within an epoll. */
  private static final class Interest {
    TreeSet<String> events;
    long seenReceived = -1;
    boolean seenEnd;
    boolean fresh = true;
  }

  private final Sockets sockets;
  private final Map<Long, Map<Long, Interest>> epolls = new HashMap<>();

  Polls(Sockets sockets) {
    this.sockets = sockets;
  }

  private static TreeSet<String> names(Arg a) {
    TreeSet<String> names = new TreeSet<>(a instanceof Words w ? w.names() : List.of());
    names.removeIf(n -> n.equals("0"));
    return names;
  }

  /** What can be done now, by names without {@code POLL} or {@code EPOLL} before them. */
  private static TreeSet<String> ready(Sock s) {
    TreeSet<String> r = new TreeSet<>();
    if (s.isListening()) {
      if (!s.established.isEmpty()) {
        r.add("IN");
      }
      return r;
    }
    if (s.connection == null) {
      r.add("HUP");
      r.add("OUT");
      return r;
    }
    if (s.readable() > 0 || (s.isEnd() && !s.isConnecting())) {
      r.add("IN");
    }
    if (s.isEnd() && s.readable() == 0) {
      r.add("RDHUP");
    }
    if (s.isClosed() || (s.connected && (!s.mayWrite() || s.space() > 0))) {
      r.add("OUT");
    }
    if (s.isHungUp()) {
      r.add("HUP");
    }
    if (s.hasError()) {
      r.add("ERR");
    }
    return r;
  }

  private static TreeSet<String> wanted(TreeSet<String> events, Sock s, String prefix) {
    TreeSet<String> out = new TreeSet<>();
    for (String r : ready(s)) {
      String name = prefix + r;
      if (events.contains(name) || r.equals("ERR") || r.equals("HUP")) {
        out.add(name);
      }
    }
    return out;
  }

  Attempt poll(SysCall c) {
    if (!(c.arg(0) instanceof Array fds)) {
      throw ScriptStop.syntax("an array of pollfd", c.arg(0).toString());
    }
    long timeout = Arg.number(c.arg(2));
    long deadline = timeout < 0 ? Long.MAX_VALUE : timeout;
    long[] since = {-1};
    return () -> {
      int n = 0;
      List<TreeSet<String>> got = new ArrayList<>();
      long now = -1;
      for (Arg item : fds.items()) {
        Struct f = Arg.struct(item);
        Sock s = sockets.get(Arg.number(f.get("fd")));
        TreeSet<String> r =
            s == null
                ? new TreeSet<>(List.of("POLLNVAL"))
                : wanted(names(f.get("events")), s, "POLL");
        now = s == null ? now : s.machine.micros();
        got.add(r);
        n += r.isEmpty() ? 0 : 1;
      }
      since[0] = since[0] < 0 ? now : since[0];
      if (n == 0 && deadline > 0 && (now - since[0]) / 1000 < deadline) {
        return Result.BLOCKS;
      }
      for (int i = 0; i < got.size(); i++) {
        Struct f = Arg.struct(fds.items().get(i));
        Arg expected = f.get("revents");
        if (expected != null && !names(expected).equals(got.get(i))) {
          throw ScriptStop.fail("poll", expected, String.join("|", got.get(i)));
        }
      }
      return Result.of(n);
    };
  }

  // ---- epoll ----------------------------------------------------------------------------------

  Result create(SysCall c) {
    long fd = Arg.number(c.result());
    epolls.put(fd, new LinkedHashMap<>());
    return Result.of(fd);
  }

  /** False when it is no epoll. */
  boolean close(long fd) {
    return epolls.remove(fd) != null;
  }

  private Map<Long, Interest> epoll(SysCall c) {
    Map<Long, Interest> e = epolls.get(Arg.number(c.arg(0)));
    if (e == null) {
      throw ScriptStop.fail("epoll", "an epoll descriptor", c.arg(0));
    }
    return e;
  }

  Result control(SysCall c) {
    Map<Long, Interest> e = epoll(c);
    long fd = Arg.number(c.arg(2));
    String op = Arg.word(c.arg(1));
    if (op.equals("EPOLL_CTL_DEL")) {
      return e.remove(fd) == null ? Result.error("ENOENT") : Result.of(0);
    }
    if (!(c.arg(3) instanceof Struct s) || s.get("events") == null) {
      throw ScriptStop.syntax("{events=…, fd=…}", c.arg(3).toString());
    }
    Interest i = e.computeIfAbsent(fd, k -> new Interest());
    i.events = names(s.get("events"));
    i.fresh = true;
    return Result.of(0);
  }

  Attempt await(SysCall c) {
    Map<Long, Interest> e = epoll(c);
    long timeout = Arg.number(c.arg(3));
    return () -> {
      for (Map.Entry<Long, Interest> entry : e.entrySet()) {
        Sock s = sockets.get(entry.getKey());
        TreeSet<String> got = s == null ? new TreeSet<>() : take(entry.getValue(), s);
        if (!got.isEmpty()) {
          compare(c, got);
          return Result.of(1);
        }
      }
      return timeout == 0 ? Result.of(0) : Result.BLOCKS;
    };
  }

  private static void compare(SysCall c, TreeSet<String> got) {
    if (c.arg(1) instanceof Struct s
        && s.get("events") != null
        && !names(s.get("events")).equals(got)) {
      throw ScriptStop.fail("epoll_wait", s.get("events"), String.join("|", got));
    }
  }

  private static TreeSet<String> take(Interest i, Sock s) {
    TreeSet<String> got = wanted(i.events, s, "EPOLL");
    long received = s.connection == null ? 0 : s.connection.info(s.machine.now).bytesReceived();
    boolean news =
        i.fresh
            || received != i.seenReceived
            || s.isEnd() != i.seenEnd
            || (s.wroteShort && got.contains("EPOLLOUT"));
    if (got.isEmpty() || (i.events.contains("EPOLLET") && !news)) {
      return new TreeSet<>();
    }
    if (i.events.contains("EPOLLONESHOT")) {
      i.events = new TreeSet<>(List.of("EPOLLONESHOT", "EPOLLET"));
    }
    i.fresh = false;
    i.seenReceived = received;
    i.seenEnd = s.isEnd();
    s.wroteShort = false;
    return got;
  }
}
