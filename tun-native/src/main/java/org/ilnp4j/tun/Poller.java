package org.ilnp4j.tun;

import static org.ilnp4j.tun.Native.LIBC;

import java.io.Closeable;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/**
 * Waits until one of a few descriptors can be read, with time limits in nanoseconds (ppoll(2)), for
 * a thread that has to be punctual. {@link #wake} may be called from any thread, all else belongs
 * to the one that waits.
 */
public final class Poller implements Closeable {
  private static final int PREFERRED_NICE = -10;
  private static final int POLLFD_BYTES = 8;
  private static final int EVENTS = 4;
  private static final int RETURNED = 6;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final int count;
  private final ByteBuffer fds;
  private final ByteBuffer timeout = Native.allocate(2 * Long.BYTES);
  private final ByteBuffer one = Native.allocate(Long.BYTES);
  private final ByteBuffer drained = Native.allocate(Long.BYTES);
  private final long fdsAddress;
  private final long timeoutAddress = Native.address(timeout);
  private int wakeFd;

  private Poller(int wakeFd, int... fdsToRead) {
    this.wakeFd = wakeFd;
    count = fdsToRead.length;
    fds = Native.allocate((count + 1) * POLLFD_BYTES);
    for (int i = 0; i <= count; i++) {
      fds.putInt(i * POLLFD_BYTES, i < count ? fdsToRead[i] : wakeFd);
      fds.putShort(i * POLLFD_BYTES + EVENTS, Native.POLLIN);
    }
    fdsAddress = Native.address(fds);
    one.putLong(0, 1);
  }

  /** Ready to wait for the descriptors, which stay the caller's. */
  public static Poller open(int... fdsToRead) throws LinuxException {
    int wakeFd = LIBC.eventfd(0, Native.EFD_NONBLOCK | Native.EFD_CLOEXEC);
    if (wakeFd < 0) {
      throw Native.failure("open", "eventfd");
    }
    return new Poller(wakeFd, fdsToRead);
  }

  /**
   * Makes the calling thread punctual. Its timeouts end on time: the kernel delays those of
   * ordinary threads by up to 50 us, so that wake-ups fall together (PR_SET_TIMERSLACK of
   * prctl(2)). And it goes before the ordinary threads of all programs (SCHED_RR of sched(7)), so
   * it must rest often.
   *
   * @return false if this process may not set priorities (CAP_SYS_NICE)
   */
  public static boolean bePunctual() throws LinuxException {
    if (LIBC.prctl(Native.PR_SET_TIMERSLACK, 1) < 0) {
      throw Native.failure("set timer slack of", "thread");
    }
    ByteBuffer priority = Native.allocate(Integer.BYTES);
    priority.putInt(0, 1);
    return Native.with(priority, a -> LIBC.sched_setscheduler(0, Native.SCHED_RR, a)) == 0;
  }

  /**
   * Lets the calling thread run soon after it is woken, before ordinary threads of this and other
   * programs, without keeping them from running (setpriority(2)). A TCP in the kernel does its work
   * in interrupts; one in a thread that waits for its turn adds milliseconds to a round trip.
   *
   * @return false if this process may not set priorities (CAP_SYS_NICE)
   */
  public static boolean bePreferred() {
    return LIBC.setpriority(Native.PRIO_PROCESS, 0, PREFERRED_NICE) == 0;
  }

  /**
   * Waits until a descriptor can be read or has failed, {@link #wake} was called, or the time is
   * up.
   *
   * @param limitNanos 0 or more; {@link Long#MAX_VALUE} for no limit
   */
  public void await(long limitNanos) throws LinuxException {
    timeout.putLong(0, limitNanos / NANOS_PER_SECOND);
    timeout.putLong(8, limitNanos % NANOS_PER_SECOND);
    int ready = LIBC.ppoll(fdsAddress, count + 1L, timeoutAddress, 0);
    Reference.reachabilityFence(this);
    if (ready < 0 && Native.errno() != Errno.EINTR) {
      throw Native.failure("wait for", "descriptors");
    }
    if (ready > 0 && fds.getShort(count * POLLFD_BYTES + RETURNED) != 0) {
      Native.with(drained, a -> LIBC.read(wakeFd, a, Long.BYTES));
    }
  }

  /** Ends a wait that is going on, or the next one. Any thread; not after {@link #close}. */
  public void wake() {
    // Fails only when it was called 2^64 times without a wait in between.
    Native.with(one, a -> LIBC.write(wakeFd, a, Long.BYTES));
  }

  @Override
  public void close() {
    if (wakeFd >= 0) {
      LIBC.close(wakeFd);
      wakeFd = -1;
    }
  }
}
