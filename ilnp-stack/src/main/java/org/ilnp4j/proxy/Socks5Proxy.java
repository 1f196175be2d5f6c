package org.ilnp4j.proxy;

import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.socksx.v5.Socks5InitialRequestDecoder;
import io.netty.handler.codec.socksx.v5.Socks5ServerEncoder;
import java.net.InetSocketAddress;

/**
 * A SOCKS5 proxy (RFC 1928) for local programs: CONNECT, no authentication, destinations by name or
 * IPv6 address. The success reply is sent when the remote node has completed the handshake, never
 * before. Reply codes:
 *
 * <pre>
 * 0x00  connected
 * 0x01  too many connects in progress, or a request that cannot be read
 * 0x03  this node has no Locator now
 * 0x04  unknown name, no answer, or an ICMPv6 "unreachable"
 * 0x05  refused
 * 0x06  the name lookup timed out
 * 0x07  command other than CONNECT
 * 0x08  an IPv4 address, or an unknown address type
 * </pre>
 */
public final class Socks5Proxy extends LocalListener {
  private final Dialer dialer;

  /**
   * @param address where local programs connect; port 0 lets the kernel choose
   */
  public Socks5Proxy(LocalTransport transport, Dialer dialer, InetSocketAddress address) {
    super(transport, address);
    this.dialer = dialer;
  }

  @Override
  void onClient(SocketChannel client) {
    client
        .pipeline()
        .addLast(Socks5ServerEncoder.DEFAULT)
        .addLast(new Socks5InitialRequestDecoder())
        .addLast(new Socks5Handshake(client, dialer));
  }
}
