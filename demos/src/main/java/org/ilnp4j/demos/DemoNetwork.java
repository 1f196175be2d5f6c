package org.ilnp4j.demos;

import java.io.IOException;
import java.io.InputStream;

/** The two nodes and the links of one demonstration: real ones in namespaces, or simulated ones. */
interface DemoNetwork extends AutoCloseable {
  /** What the mobile node recorded of one move; LU round trip -1 when it is not known. */
  record Move(String kind, String from, String to, double luRttMillis) {}

  /** What the correspondent sent again, and what of it the mobile node had already. */
  record Repeats(long retransmitted, long duplicates) {
    /** Segments sent again because they had not arrived. */
    long lost() {
      return retransmitted - duplicates;
    }

    Repeats since(Repeats before) {
      return new Repeats(retransmitted - before.retransmitted, duplicates - before.duplicates);
    }
  }

  /** One line for people: what this network is made of. */
  String describe();

  /**
   * Waits until both nodes know where they are. IOException with one clear line when they do not.
   */
  void awaitReady() throws IOException, InterruptedException;

  /** Starts an unmodified program that downloads through the mobile node's SOCKS proxy. */
  InputStream download(long bytes) throws IOException;

  /** The program used for {@link #download}, for people. */
  String program();

  /** Round trip between the nodes over the link in use, without load. */
  double rttMillis() throws IOException, InterruptedException;

  /** The second link appears. */
  void secondLinkUp() throws IOException;

  /** The first link goes away. */
  void firstLinkDown() throws IOException;

  /** The second link goes away: no link is left. */
  void secondLinkDown() throws IOException;

  /** The first link comes back. */
  void firstLinkUp() throws IOException;

  /** Moves of the mobile node so far, soft and hard. */
  int moveCount() throws IOException;

  /** The last of them. */
  Move lastMove() throws IOException;

  Repeats repeats() throws IOException;

  /** Why the download program failed, for an error message. */
  String downloadError();

  @Override
  void close();
}
