package org.ilnp4j.daemon.control;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;
import org.ilnp4j.daemon.config.Directories;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers the command line on a Unix domain socket, on the daemon's loop. */
public final class ControlServer {
  /** Longest request in octets. */
  public static final int MAX_LINE_BYTES = 4096;

  /** Open at a time; more are closed at once. */
  public static final int MAX_CONNECTIONS = 16;

  /** Echo requests of one command. */
  public static final int MAX_PINGS = 1000;

  /** Sessions in one reply. */
  public static final int MAX_SESSIONS = 10_000;

  /** What fits into sun_path of unix(7). */
  public static final int MAX_PATH_BYTES = 107;

  private static final Logger LOG = LoggerFactory.getLogger(ControlServer.class);

  private final Path socket;
  private final Channel listener;
  private final Set<Channel> clients;

  private ControlServer(Path socket, Channel listener, Set<Channel> clients) {
    this.socket = socket;
    this.listener = listener;
    this.clients = clients;
  }

  /**
   * Starts to listen. Blocks until it does, so not to be called on the loop.
   *
   * @param socket path to make; a socket that a dead daemon left is removed first
   * @throws IOException when it cannot be made, or when another daemon answers there
   */
  public static ControlServer open(EventLoop loop, Path socket, ControlService service)
      throws IOException {
    return open(loop, socket, new NodeCommands(service));
  }

  /** The same for any commands. */
  public static ControlServer open(EventLoop loop, Path socket, ControlCommands commands)
      throws IOException {
    if (socket.toString().getBytes(StandardCharsets.UTF_8).length > MAX_PATH_BYTES) {
      throw new IOException(
          "control.socket: "
              + socket
              + " is longer than "
              + MAX_PATH_BYTES
              + " octets; shorten it");
    }
    removeStale(socket);
    Directories.create("control.socket", socket.toAbsolutePath().getParent());
    boolean epoll = loop instanceof IoEventLoop io && io.isCompatible(EpollIoHandle.class);
    Class<? extends ServerChannel> type =
        epoll ? EpollServerDomainSocketChannel.class : NioServerDomainSocketChannel.class;
    SocketAddress address =
        epoll ? new DomainSocketAddress(socket.toString()) : UnixDomainSocketAddress.of(socket);
    Set<Channel> clients = new HashSet<>();
    PeerCheck peers = new PeerCheck(socket);
    Channel listener =
        new ServerBootstrap()
            .group(loop)
            .channel(type)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel ch) throws IOException {
                    if (clients.size() >= MAX_CONNECTIONS || !peers.allows(ch)) {
                      ch.close();
                      return;
                    }
                    clients.add(ch);
                    ch.closeFuture().addListener(closed -> clients.remove(ch));
                    ch.pipeline()
                        .addLast(
                            new LineBasedFrameDecoder(MAX_LINE_BYTES, true, true),
                            new StringDecoder(StandardCharsets.UTF_8),
                            new ControlHandler(commands));
                  }
                })
            .bind(address)
            .syncUninterruptibly()
            .channel();
    // The peer check holds by itself; the mode spares others the attempt.
    Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
    return new ControlServer(socket, listener, clients);
  }

  public Path socket() {
    return socket;
  }

  /** Stops listening, closes what is open and removes the socket. Does not block. */
  public Future<?> close() {
    listener.eventLoop().execute(() -> Set.copyOf(clients).forEach(Channel::close));
    return listener
        .close()
        .addListener(
            closed -> {
              try {
                Files.deleteIfExists(socket);
              } catch (IOException e) {
                LOG.warn("cannot remove {}", socket, e);
              }
            });
  }

  private static void removeStale(Path socket) throws IOException {
    if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (ControlClient.isAnswering(socket)) {
      throw new IOException("another daemon answers at " + socket + "; give this one another name");
    }
    if (!isSocket(socket)) {
      throw new IOException(socket + " is in the way and is not a socket; remove it");
    }
    Files.delete(socket);
  }

  /** True when {@code path} itself, not what it links to, is a socket. Blocks on the file. */
  public static boolean isSocket(Path path) throws IOException {
    Object mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    // S_IFMT and S_IFSOCK of inode(7).
    return ((Integer) mode & 0xf000) == 0xc000;
  }
}
