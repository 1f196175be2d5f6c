package org.ilnp4j.netty;

import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.ilnp4j.tcp.TcpCloseReason;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;

/** What the end of a connection is to users of channels. */
final class EndOfConnection {
  /** Takes the place of a closed channel's handler, so that TIME-WAIT does not keep the channel. */
  static final TcpHandler NOBODY =
      new TcpHandler() {
        @Override
        public void onConnected(long nowNanos, TcpConnection connection) {}

        @Override
        public void onReadable(long nowNanos, TcpConnection connection) {}

        @Override
        public void onWritable(long nowNanos, TcpConnection connection) {}

        @Override
        public void onClosed(long nowNanos, TcpConnection connection, TcpCloseReason reason) {}
      };

  private EndOfConnection() {}

  /** Why a connect failed. */
  static IOException beforeEstablished(TcpCloseReason reason, IlnpSocketAddress remote) {
    return switch (reason) {
      case TIMED_OUT -> new ConnectTimeoutException("no answer: " + remote);
      case UNREACHABLE -> new NoRouteToHostException("No route to host: " + remote);
      case REFUSED, RESET -> new ConnectException("Connection refused: " + remote);
      case NORMAL, ABORTED -> new ConnectException("Connection aborted: " + remote);
    };
  }

  /** Why an established connection is gone. */
  static IOException broken(TcpCloseReason reason, IlnpSocketAddress remote) {
    return switch (reason) {
      case TIMED_OUT -> new SocketTimeoutException("Connection timed out: " + remote);
      case UNREACHABLE -> new NoRouteToHostException("No route to host: " + remote);
      case RESET, REFUSED -> new SocketException("Connection reset");
      case NORMAL, ABORTED -> new SocketException("Connection aborted");
    };
  }
}
