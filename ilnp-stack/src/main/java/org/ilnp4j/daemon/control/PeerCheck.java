package org.ilnp4j.daemon.control;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets in root and the user that the daemon runs as (SO_PEERCRED of unix(7)). */
final class PeerCheck {
  private static final Logger LOG = LoggerFactory.getLogger(PeerCheck.class);

  private final Path socket;

  /** {@code socket} belongs to the daemon's user. */
  PeerCheck(Path socket) {
    this.socket = socket;
  }

  boolean allows(Channel peer) throws IOException {
    boolean allowed;
    Object who;
    try {
      if (peer instanceof EpollDomainSocketChannel epoll) {
        int uid = epoll.peerCredentials().uid();
        who = "uid " + uid;
        allowed = uid == 0 || uid == (Integer) Files.getAttribute(socket, "unix:uid");
      } else {
        UnixDomainPrincipal principal =
            peer.config().getOption(NioChannelOption.of(ExtendedSocketOptions.SO_PEERCRED));
        UserPrincipal user = principal.user();
        who = user;
        allowed = user.getName().equals("root") || user.equals(Files.getOwner(socket));
      }
    } catch (ClosedChannelException e) {
      LOG.debug("a control client left before it was asked who it is", e);
      return false;
    }
    if (!allowed) {
      LOG.warn("refused a control connection of {}: only root and this user may", who);
    }
    return allowed;
  }
}
