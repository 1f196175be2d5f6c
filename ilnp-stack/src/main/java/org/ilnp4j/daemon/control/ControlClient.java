package org.ilnp4j.daemon.control;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.ilnp4j.util.UserError;

/** The command line's end of the control socket. Blocks; one thread. */
public final class ControlClient implements Closeable {
  /** Longest reply line taken from a daemon. */
  private static final int MAX_LINE_BYTES = 1 << 20;

  /** What is at the other end. */
  public enum Peer {
    NODE("daemon", "daemon"),
    EMULATOR("emulator", "emulate");

    private final String what;
    private final String start;

    Peer(String what, String start) {
      this.what = what;
      this.start = start;
    }
  }

  private final Path socket;
  private final Peer peer;
  private final SocketChannel channel;
  private final Selector selector;
  private final ByteBuffer in = ByteBuffer.allocate(1 << 16).flip();

  private ControlClient(Path socket, Peer peer, SocketChannel channel, Selector selector) {
    this.socket = socket;
    this.peer = peer;
    this.channel = channel;
    this.selector = selector;
  }

  /** The socket of the only node that has one in {@code runDir}. */
  public static Path find(Path runDir) throws UserError {
    return find(runDir, Peer.NODE);
  }

  /**
   * The socket of the only process of that kind that has one in {@code runDir}.
   *
   * @throws UserError when several answer there, or none
   */
  public static Path find(Path runDir, Peer peer) throws UserError {
    List<Path> answering = new ArrayList<>();
    if (Files.isDirectory(runDir)) {
      try (DirectoryStream<Path> sockets = Files.newDirectoryStream(runDir, "*.sock")) {
        for (Path socket : sockets) {
          answering.add(socket);
        }
      } catch (IOException e) {
        throw new UserError(
            UserError.Kind.MISSING, "cannot look for " + peer.what + "s in " + runDir + ": " + e);
      }
    }
    if (answering.size() > 1) {
      answering.removeIf(socket -> !isAnswering(socket));
    }
    if (answering.size() > 1) {
      String list =
          answering.stream().sorted().map(Path::toString).collect(Collectors.joining(", "));
      throw new UserError(
          UserError.Kind.USAGE,
          "several " + peer.what + "s run here; choose one with --socket: " + list);
    }
    if (answering.isEmpty()) {
      throw notAnswering(runDir.resolve("*.sock"), peer);
    }
    return answering.get(0);
  }

  /** True when something accepts connections at {@code socket}. */
  public static boolean isAnswering(Path socket) {
    if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return probe.connect(UnixDomainSocketAddress.of(socket));
    } catch (IOException e) {
      // Refused, or no socket at all: either way nobody is there.
      return false;
    }
  }

  /**
   * True when {@code socket} is one that nobody listens on: not merely out of this user's reach.
   */
  public static boolean isRefused(Path socket) {
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.connect(UnixDomainSocketAddress.of(socket));
      return false;
    } catch (IOException e) {
      return String.valueOf(e.getMessage()).contains("Connection refused");
    }
  }

  /** Connects to a node. */
  public static ControlClient connect(Path socket) throws UserError {
    return connect(socket, Peer.NODE);
  }

  /**
   * Connects.
   *
   * @throws UserError when nobody answers, or this user may not talk to it
   */
  public static ControlClient connect(Path socket, Peer peer) throws UserError {
    SocketChannel channel = null;
    try {
      channel = SocketChannel.open(StandardProtocolFamily.UNIX);
      channel.connect(UnixDomainSocketAddress.of(socket));
      channel.configureBlocking(false);
      Selector selector = Selector.open();
      channel.register(selector, SelectionKey.OP_READ);
      return new ControlClient(socket, peer, channel, selector);
    } catch (IOException e) {
      closeQuietly(channel, e);
      if (String.valueOf(e.getMessage()).contains("Permission denied")) {
        throw new UserError(
            UserError.Kind.MISSING,
            "no permission to talk to the " + peer.what + " at " + socket + "; run it as root");
      }
      throw notAnswering(socket, peer);
    }
  }

  private static void closeQuietly(SocketChannel channel, IOException why) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        why.addSuppressed(e);
      }
    }
  }

  private static UserError notAnswering(Path socket, Peer peer) {
    return new UserError(
        UserError.Kind.FAILED,
        "no "
            + peer.what
            + " answers at "
            + socket
            + "; start one with: ilnp "
            + peer.start
            + " --config FILE; or choose another with --socket");
  }

  /**
   * Sends a request and hands every result to {@code each}, as it comes.
   *
   * @param wait for each line of the reply
   * @throws UserError with the daemon's own words when it refuses, or when it does not answer
   */
  public <R extends Record> void call(
      Map<String, Object> request, Class<R> type, Duration wait, Consumer<R> each)
      throws UserError {
    try {
      ByteBuffer out =
          ByteBuffer.wrap((Views.write(request) + "\n").getBytes(StandardCharsets.UTF_8));
      send(out);
      while (true) {
        Map<String, Object> line = JSON.std.mapFrom(readLine(wait));
        if (line.get("result") instanceof Map<?, ?> result) {
          each.accept(Views.fromJson(result, type));
        } else if (Boolean.TRUE.equals(line.get("ok"))) {
          return;
        } else {
          throw new UserError(UserError.Kind.FAILED, String.valueOf(line.get("error")));
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new UserError(
          UserError.Kind.FAILED,
          List.of(
              "the " + peer.what + " at " + socket + " cannot be understood: " + e.getMessage()),
          e);
    }
  }

  /** As {@link #call}, for commands with exactly one result. */
  public <R extends Record> R one(Map<String, Object> request, Class<R> type, Duration wait)
      throws UserError {
    List<R> results = new ArrayList<>(1);
    call(request, type, wait, results::add);
    if (results.size() != 1) {
      throw new UserError(
          UserError.Kind.FAILED,
          "the "
              + peer.what
              + " at "
              + socket
              + " gave "
              + results.size()
              + " results instead of one");
    }
    return results.get(0);
  }

  private void send(ByteBuffer out) throws UserError {
    try {
      // A request is far smaller than the socket's buffer and nothing else is in it.
      while (out.hasRemaining()) {
        channel.write(out);
      }
    } catch (IOException e) {
      throw closed(e);
    }
  }

  private UserError closed(IOException why) {
    return new UserError(
        UserError.Kind.FAILED,
        List.of(
            "the "
                + peer.what
                + " at "
                + socket
                + " closed the connection; it answers only root and its own user"),
        why);
  }

  private int receive() throws UserError {
    try {
      return channel.read(in.clear());
    } catch (IOException e) {
      throw closed(e);
    }
  }

  private String readLine(Duration wait) throws IOException, UserError {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      while (in.hasRemaining()) {
        byte b = in.get();
        if (b == '\n') {
          return line.toString(StandardCharsets.UTF_8);
        }
        line.write(b);
      }
      if (line.size() > MAX_LINE_BYTES) {
        throw new IOException("a reply line is longer than " + MAX_LINE_BYTES + " octets");
      }
      if (selector.select(wait.toMillis()) == 0) {
        throw new UserError(
            UserError.Kind.FAILED,
            "the "
                + peer.what
                + " at "
                + socket
                + " has not answered for "
                + wait.toSeconds()
                + " s");
      }
      selector.selectedKeys().clear();
      int n = receive();
      in.flip();
      if (n < 0) {
        throw closed(null);
      }
    }
  }

  @Override
  public void close() throws IOException {
    selector.close();
    channel.close();
  }
}
