package org.ilnp4j.demos;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Scapy in a namespace beside a node, on the link that leads there: {@code raw_peer.py} says what
 * expressions may contain. Scapy builds and sums the packets by its own lights, not by ours.
 */
final class RawPeer implements AutoCloseable {
  /** What an observer of the link knows of a connection; sequence numbers unsigned. */
  record Flow(
      String peer, int port, long next, long expects, long window, String nonce, String sent) {}

  /** Returns when the node has ended what it was doing. */
  @FunctionalInterface
  interface Fence {
    void await() throws IOException;
  }

  private final Fence fence;
  private final Process process;
  private final Writer to;
  private final BufferedReader from;

  /**
   * Starts it.
   *
   * @param device interface of the namespace that leads to the node
   * @param nextHopMac of the other end of that link
   * @param node IPv6 address of the node
   * @param own IPv6 address for packets of its own
   * @param router IPv6 address that ICMPv6 errors come from
   * @param fence asks the node something by another way
   */
  RawPeer(
      Path directory,
      String namespace,
      String device,
      String nextHopMac,
      String node,
      String own,
      String router,
      Fence fence)
      throws IOException {
    this.fence = fence;
    Path script = directory.resolve("raw_peer.py");
    try (InputStream in = RawPeer.class.getResourceAsStream("raw_peer.py")) {
      Files.write(script, in.readAllBytes());
    }
    // Debian's Python, for which its Scapy is: another may come first in the PATH.
    process =
        new ProcessBuilder(
                List.of(
                    "ip",
                    "netns",
                    "exec",
                    namespace,
                    "/usr/bin/python3",
                    script.toString(),
                    device,
                    nextHopMac,
                    node,
                    own,
                    router))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    to =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    from =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    if (from.readLine() == null) {
      throw new IOException("Scapy did not start");
    }
  }

  /** The value of an expression: a string, a number, a list, a map or null. */
  Object eval(String expression) {
    try {
      to.write(expression.replace('\n', ' ') + "\n");
      to.flush();
      String line = from.readLine();
      if (line == null) {
        throw new IllegalStateException("Scapy is gone");
      }
      Object value = JSON.std.anyFrom(line);
      if (value instanceof Map<?, ?> map && map.containsKey("error")) {
        throw new IllegalStateException(expression + ": " + map.get("error"));
      }
      return value;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends packets and returns everything the node sent until it had dealt with them. */
  @SuppressWarnings("unchecked")
  List<String> answers(String packets) throws IOException {
    eval("begin(" + packets + ")");
    // A ping is answered at once, a segment at the end of the turn.
    fence.await();
    return (List<String>) eval("collect()");
  }

  /** The last connection to a port of the node, once both sides have acknowledged everything. */
  Flow settled(int port) {
    return flow("settled(" + port + ")");
  }

  private Flow flow(String expression) {
    Map<?, ?> f = (Map<?, ?>) eval(expression);
    return new Flow(
        (String) f.get("peer"),
        ((Number) f.get("port")).intValue(),
        ((Number) f.get("next")).longValue(),
        ((Number) f.get("expects")).longValue(),
        ((Number) f.get("window")).longValue(),
        (String) f.get("nonce"),
        (String) f.get("sent"));
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
