package org.ilnp4j.tun.testing;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for what the kernel does in its own time, as duplicate address detection. */
public final class Eventually {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private Eventually() {}

  /** Returns as soon as the condition holds; fails after ten seconds with {@code what}. */
  public static void await(String what, Callable<Boolean> condition) throws Exception {
    await(() -> what, condition);
  }

  /** The same, with a text that is made when the wait has failed. */
  public static void await(Supplier<String> what, Callable<Boolean> condition) throws Exception {
    long start = System.nanoTime();
    while (!condition.call()) {
      if (System.nanoTime() - start > LIMIT_NANOS) {
        throw new AssertionError("did not happen in 10 s: " + what.get());
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
