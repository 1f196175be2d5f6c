package org.ilnp4j.daemon.control;

/**
 * Where the answer to a command goes; may be used later than the call, on the loop thread. After
 * {@link #done} or {@link #fail} further calls do nothing.
 */
public interface Reply<T> {
  /** One of several results. */
  void item(T result);

  /** No (further) result. */
  void done();

  /** One line: what is wrong and how to mend it. */
  void fail(String line);

  /** False when nobody waits any more: finished, or the client has gone. */
  boolean isOpen();
}
