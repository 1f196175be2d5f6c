package org.ilnp4j.tun;

import static org.ilnp4j.tun.Native.LIBC;

import java.io.Closeable;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * One route-netlink socket for requests: sends a request and reads its answer, synchronously. The
 * kernel answers within the send call, so this takes microseconds; a limit of two seconds turns a
 * lost answer into an error instead of a hang.
 */
final class NetlinkSocket implements Closeable {
  private static final int SOL_NETLINK = 270;
  private static final int NETLINK_EXT_ACK = 11;
  private static final int NETLINK_GET_STRICT_CHK = 12;
  private static final int NETLINK_ROUTE = 0;
  private static final int SOCKADDR_NL_BYTES = 12;
  private static final int ANSWER_LIMIT_SECONDS = 2;

  /** Dumps come in pieces of at most 32 KiB when the reader offers that much. */
  private static final int RECEIVE_BYTES = 1 << 15;

  private static final int REQUEST_BYTES = 1 << 12;

  /** A dump that changes under the reader is begun again; a table in constant flux is an error. */
  private static final int MAX_DUMP_ATTEMPTS = 8;

  private static final int NLMSGERR_ATTR_MSG = 1;

  private final ByteBuffer request = Native.allocate(REQUEST_BYTES);
  private final NlMessage message = new NlMessage(request);
  private final ByteBuffer answer = Native.allocate(RECEIVE_BYTES);
  private final long requestAddress = Native.address(request);
  private final long answerAddress = Native.address(answer);
  private int fd;
  private int sequence;
  private String kernelText = "";

  private NetlinkSocket(int fd) {
    this.fd = fd;
  }

  static NetlinkSocket open() throws LinuxException {
    int fd = bind(0, 0);
    // Both are refinements of newer kernels: without them errors have less text and dumps are long.
    Native.setOption(fd, SOL_NETLINK, NETLINK_EXT_ACK, 1);
    Native.setOption(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, 1);
    byte[] timeval = new byte[16];
    ByteBuffer.wrap(timeval).order(ByteOrder.nativeOrder()).putLong(ANSWER_LIMIT_SECONDS);
    if (!Native.setOption(fd, Native.SOL_SOCKET, Native.SO_RCVTIMEO, timeval)) {
      LinuxException e = Native.failure("set timeout of", "netlink socket");
      LIBC.close(fd);
      throw e;
    }
    return new NetlinkSocket(fd);
  }

  /** Opens and binds a route-netlink socket that hears the multicast {@code groups}. */
  static int bind(int typeFlags, int groups) throws LinuxException {
    int fd =
        Native.socket(
            Native.AF_NETLINK,
            Native.SOCK_RAW | Native.SOCK_CLOEXEC | typeFlags,
            NETLINK_ROUTE,
            "netlink socket");
    ByteBuffer address = Native.allocate(SOCKADDR_NL_BYTES);
    address.putShort(0, (short) Native.AF_NETLINK);
    address.putInt(8, groups);
    if (Native.with(address, a -> LIBC.bind(fd, a, SOCKADDR_NL_BYTES)) < 0) {
      LinuxException e = Native.failure("bind", "netlink socket");
      LIBC.close(fd);
      throw e;
    }
    return fd;
  }

  int fd() {
    return fd;
  }

  /** Starts a request; complete it and pass it to {@link #execute} or {@link #dump}. */
  NlMessage begin(int type, int flags) {
    return message.begin(type, NlMessage.NLM_F_REQUEST | flags);
  }

  /**
   * Sends the request just built and waits for its acknowledgement.
   *
   * @return 0, or the kernel's error number, positive; {@link #failure} makes it an exception
   */
  int execute() throws LinuxException {
    send(NlMessage.NLM_F_ACK);
    while (true) {
      int length = receive();
      for (ByteBuffer m : messages(length)) {
        if (m.getInt(8) == sequence && type(m) == NlMessage.NLMSG_ERROR) {
          return acknowledgement(m);
        }
      }
    }
  }

  /**
   * Sends the dump request just built and collects what {@code parser} makes of each object; nulls
   * are left out.
   */
  <T> List<T> dump(Function<ByteBuffer, T> parser, String what) throws LinuxException {
    return dumpUnless(0, parser, what);
  }

  /** The same; the error {@code benign} means that there are none. */
  <T> List<T> dumpUnless(int benign, Function<ByteBuffer, T> parser, String what)
      throws LinuxException {
    for (int attempt = 0; attempt < MAX_DUMP_ATTEMPTS; attempt++) {
      send(NlMessage.NLM_F_DUMP);
      List<T> objects = new ArrayList<>();
      int errno = collect(parser, objects);
      if (errno == 0 || errno == benign) {
        return objects;
      }
      if (errno != Errno.EINTR) {
        throw failure("list", what, errno);
      }
    }
    throw new LinuxException("list", what, Errno.EAGAIN, "the kernel's table changes all the time");
  }

  /** Reads one dump to its end; 0, the kernel's error, or EINTR if the table changed meanwhile. */
  private <T> int collect(Function<ByteBuffer, T> parser, List<T> objects) throws LinuxException {
    boolean consistent = true;
    while (true) {
      int length = receive();
      for (ByteBuffer m : messages(length)) {
        if (m.getInt(8) != sequence) {
          continue;
        }
        consistent &= (m.getShort(6) & NlMessage.NLM_F_DUMP_INTR) == 0;
        switch (type(m)) {
          case NlMessage.NLMSG_DONE -> {
            // The code of a dump that failed half-way stands where an error's would.
            int errno = m.limit() < NlMessage.HEADER_BYTES + 4 ? 0 : -m.getInt(16);
            return errno == 0 && !consistent ? Errno.EINTR : errno;
          }
          case NlMessage.NLMSG_ERROR -> {
            return acknowledgement(m);
          }
          default -> {
            T object = parser.apply(m);
            if (object != null) {
              objects.add(object);
            }
          }
        }
      }
    }
  }

  /** The exception for an error number from {@link #execute}, with the kernel's own words. */
  LinuxException failure(String operation, String object, int errno) {
    LinuxException plain = new LinuxException(operation, object, errno);
    if (kernelText.isEmpty()) {
      return plain;
    }
    String hint = plain.hint().isEmpty() ? "" : "; " + plain.hint();
    return new LinuxException(operation, object, errno, "kernel: " + kernelText + hint);
  }

  private int acknowledgement(ByteBuffer m) {
    kernelText = "";
    int header = NlMessage.HEADER_BYTES;
    if (m.limit() < header + 4 + header) {
      return Errno.EIO;
    }
    int flags = m.getShort(6);
    if ((flags & NlMessage.NLM_F_ACK_TLVS) != 0) {
      // The request follows the code, whole or only its header; then come the attributes.
      boolean capped = (flags & NlMessage.NLM_F_CAPPED) != 0;
      int echoed = capped ? header : m.getInt(header + 4) + 3 & ~3;
      int from = header + 4 + echoed;
      if (echoed >= header && from <= m.limit()) {
        kernelText = NlParser.text(NlParser.attributes(m, from, 1)[NLMSGERR_ATTR_MSG]);
      }
    }
    return -m.getInt(header);
  }

  private void send(int flags) throws LinuxException {
    // A dump that is sent again keeps the flags it already has.
    request.putShort(6, (short) (request.getShort(6) | flags));
    int length = message.finish(++sequence);
    long sent;
    do {
      sent = LIBC.send(fd, requestAddress, length, 0);
    } while (sent < 0 && Native.errno() == Errno.EINTR);
    if (sent < 0) {
      throw Native.failure("send request to", "netlink socket");
    }
  }

  private int receive() throws LinuxException {
    while (true) {
      long n = LIBC.recv(fd, answerAddress, RECEIVE_BYTES, Native.MSG_TRUNC);
      if (n > RECEIVE_BYTES) {
        throw new LinuxException("read answer from", "netlink socket", Errno.ENOBUFS);
      }
      if (n >= 0) {
        Reference.reachabilityFence(answer);
        return (int) n;
      }
      int errno = Native.errno();
      if (errno != Errno.EINTR) {
        throw new LinuxException("read answer from", "netlink socket", errno);
      }
    }
  }

  private static int type(ByteBuffer m) {
    return m.getShort(4) & 0xffff;
  }

  private List<ByteBuffer> messages(int length) {
    return split(answer, length);
  }

  /** Slices a datagram into its messages; stops at the first that is malformed. */
  static List<ByteBuffer> split(ByteBuffer datagram, int length) {
    List<ByteBuffer> messages = new ArrayList<>();
    int at = 0;
    while (at + NlMessage.HEADER_BYTES <= length) {
      int size = datagram.getInt(at);
      if (size < NlMessage.HEADER_BYTES || size > length - at) {
        break;
      }
      messages.add(datagram.slice(at, size).order(datagram.order()));
      at += size + 3 & ~3;
    }
    return messages;
  }

  @Override
  public void close() {
    if (fd >= 0) {
      LIBC.close(fd);
      fd = -1;
    }
  }
}
