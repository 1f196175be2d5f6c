package org.ilnp4j.tun;

import static org.ilnp4j.tun.Native.LIBC;

import java.io.Closeable;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Hears changes of interfaces, IPv6 addresses and IPv6 routes. Non-blocking: register {@link #fd()}
 * with epoll and call {@link #receive} when it is readable.
 *
 * <p>Events are hints, not truth: the kernel drops them when the reader is slow, and says so.
 * Whoever follows them must be able to start over from a dump.
 */
public final class NetlinkMonitor implements Closeable {
  private static final int GROUP_LINK = 1;
  private static final int GROUP_IPV6_ADDRESS = 1 << 8;
  private static final int GROUP_IPV6_ROUTE = 1 << 10;
  private static final int RECEIVE_BYTES = 1 << 15;

  /** Room for some thousand events; a routing daemon that reloads its table sends as many. */
  private static final int SOCKET_BUFFER_BYTES = 1 << 20;

  private final ByteBuffer datagram = Native.allocate(RECEIVE_BYTES);
  private final long address = Native.address(datagram);
  private int fd;

  private NetlinkMonitor(int fd) {
    this.fd = fd;
  }

  /** Opens the socket; events are queued from now on. Dump after this, not before. */
  public static NetlinkMonitor open() throws LinuxException {
    int groups = GROUP_LINK | GROUP_IPV6_ADDRESS | GROUP_IPV6_ROUTE;
    int fd = NetlinkSocket.bind(Native.SOCK_NONBLOCK, groups);
    // FORCE passes the system's limit and needs CAP_NET_ADMIN; the plain option takes what it gets.
    if (!Native.setOption(fd, Native.SOL_SOCKET, Native.SO_RCVBUFFORCE, SOCKET_BUFFER_BYTES)
        && !Native.setOption(fd, Native.SOL_SOCKET, Native.SO_RCVBUF, SOCKET_BUFFER_BYTES)) {
      LinuxException e = Native.failure("enlarge buffer of", "netlink socket");
      LIBC.close(fd);
      throw e;
    }
    return new NetlinkMonitor(fd);
  }

  /** The descriptor, for epoll; -1 after close. Owned by this object. */
  public int fd() {
    return fd;
  }

  /**
   * Delivers all events that wait, in order.
   *
   * @return false if the kernel dropped events before or between those delivered: the caller must
   *     read the state anew with {@link Netlink}
   */
  public boolean receive(Consumer<NetlinkEvent> sink) throws LinuxException {
    boolean complete = true;
    while (true) {
      long n = LIBC.recv(fd, address, RECEIVE_BYTES, Native.MSG_TRUNC);
      if (n < 0) {
        int errno = Native.errno();
        switch (errno) {
          case Errno.EAGAIN -> {
            return complete;
          }
          case Errno.EINTR -> {}
          case Errno.ENOBUFS -> complete = false;
          default -> throw new LinuxException("read from", "netlink monitor", errno);
        }
      } else if (n > RECEIVE_BYTES) {
        complete = false;
      } else {
        for (ByteBuffer m : NetlinkSocket.split(datagram, (int) n)) {
          deliver(m, sink);
        }
        Reference.reachabilityFence(datagram);
      }
    }
  }

  private static void deliver(ByteBuffer m, Consumer<NetlinkEvent> sink) {
    int type = m.getShort(4) & 0xffff;
    switch (type) {
      case NlMessage.RTM_NEWLINK, NlMessage.RTM_DELLINK -> {
        Link link = NlParser.link(m);
        if (link != null) {
          sink.accept(new NetlinkEvent.LinkEvent(type == NlMessage.RTM_DELLINK, link));
        }
      }
      case NlMessage.RTM_NEWADDR, NlMessage.RTM_DELADDR -> {
        LinkAddress a = NlParser.address(m);
        if (a != null) {
          sink.accept(new NetlinkEvent.AddressEvent(type == NlMessage.RTM_DELADDR, a));
        }
      }
      case NlMessage.RTM_NEWROUTE, NlMessage.RTM_DELROUTE -> {
        Route route = NlParser.route(m);
        if (route != null) {
          sink.accept(new NetlinkEvent.RouteEvent(type == NlMessage.RTM_DELROUTE, route));
        }
      }
      default -> {
        // Not an object we follow.
      }
    }
  }

  @Override
  public void close() {
    if (fd >= 0) {
      LIBC.close(fd);
      fd = -1;
    }
  }
}
