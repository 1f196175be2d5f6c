package org.ilnp4j.demos.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.ilnp4j.tun.NetworkNamespace;

/** The kernel's TCP at both ends, with a blocking thread for each that does nothing else. */
public final class KernelFlow extends Flow {
  private final ServerSocketChannel server;
  private final SocketChannel client;
  private final InetSocketAddress address;

  /** Opens the sockets; the congestion control is that of the sender's namespace. */
  public KernelFlow(
      String senderNamespace, String receiverNamespace, String receiverAddress, long bytes)
      throws IOException {
    super(bytes);
    InetAddress receiver = InetAddress.getByName(receiverAddress);
    server =
        NetworkNamespace.call(
            receiverNamespace,
            () -> ServerSocketChannel.open().bind(new InetSocketAddress(receiver, 0)));
    client = NetworkNamespace.call(senderNamespace, SocketChannel::open);
    address = (InetSocketAddress) server.getLocalAddress();
  }

  @Override
  protected void connect() {
    startThread("kernel-receiver", this::receive);
    startThread("kernel-sender", this::send);
  }

  private void send() throws IOException {
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
    client.connect(address);
    for (long left = bytes; left > 0; left -= chunk.position()) {
      chunk.position(0).limit((int) Math.min(left, CHUNK_BYTES));
      while (chunk.hasRemaining()) {
        client.write(chunk);
      }
    }
    client.shutdownOutput();
  }

  private void receive() throws IOException {
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
    try (SocketChannel from = server.accept()) {
      for (int n = from.read(chunk); n >= 0; n = from.read(chunk.clear())) {
        onRead(n);
      }
      onEndOfStream(System.nanoTime());
    }
  }

  @Override
  public void close() {
    try (client;
        server) {
      onFailure(new IOException("broken off"));
    } catch (IOException e) {
      throw new UncheckedIOException("closing a socket", e);
    }
  }
}
