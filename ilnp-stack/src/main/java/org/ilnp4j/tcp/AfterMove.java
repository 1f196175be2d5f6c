package org.ilnp4j.tcp;

import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Seq;

/**
 * What to repeat first after a path broke. Acknowledgements were under way as well and are gone, so
 * the sender's picture is old by up to a round trip: repeating from its head would fill the first
 * window on the new path with what the other side has. Until the other side is heard, only what
 * most likely did not arrive is sent.
 */
final class AfterMove {
  /**
   * The other side moved: its first acknowledgement from the new place follows on the heels of the
   * news. It may be lost, though.
   */
  static final long GRACE_NANOS = NanoClock.millis(10);

  private boolean holding;
  private boolean newDataAllowed;
  private boolean headDue;
  private int below;

  /** We moved: segments before {@code firstLost} left so early that they should have arrived. */
  void weMoved(int firstLost) {
    holding = true;
    newDataAllowed = true;
    headDue = false;
    below = firstLost;
  }

  /** The other side moved: one segment as a probe, then its own word is waited for. */
  void theyMoved(int sndNxt) {
    holding = true;
    newDataAllowed = false;
    headDue = true;
    below = sndNxt;
  }

  /** The other side was heard, or will not be. */
  void release() {
    holding = false;
  }

  boolean isHolding() {
    return holding;
  }

  /** True when a lost segment must wait. */
  boolean holds(int seq) {
    return holding && Seq.lt(seq, below);
  }

  int below() {
    return below;
  }

  /** New data may overtake lost segments that wait. */
  boolean isNewDataAllowed() {
    return holding && newDataAllowed;
  }

  /** The one probe; asks once. */
  boolean takeHeadDue() {
    boolean due = holding && headDue;
    headDue = false;
    return due;
  }
}
