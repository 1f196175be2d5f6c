package org.ilnp4j.tcp.recovery;

/**
 * F-RTO (RFC 5682 §3.1): after a time-out sends new data before it repeats the rest, and sees from
 * the next acknowledgement whether anything had been lost at all. With SACK or without.
 */
public final class ForwardRto {
  private enum Step {
    OFF,
    /** The head was repeated; its acknowledgement is waited for. */
    HEAD_REPEATED,
    /** An acknowledgement advanced: new data goes out. */
    NEW_DATA
  }

  private Step step = Step.OFF;
  private long timeoutOrder;

  /**
   * The timer expired for the first time.
   *
   * @param order serial number of the latest transmission
   */
  public void onTimeout(long order) {
    step = Step.HEAD_REPEATED;
    timeoutOrder = order;
  }

  public void stop() {
    step = Step.OFF;
  }

  public boolean isActive() {
    return step != Step.OFF;
  }

  /** New data goes out before what counts as lost. */
  public boolean sendsNewData() {
    return step == Step.NEW_DATA;
  }

  /**
   * An acknowledgement came.
   *
   * @param advanced by it {@code SND.UNA} advanced
   * @param duplicate it is a duplicate ACK, or SACKs something new
   * @param mayProbe there is new data that the other side's window takes
   * @return true when the time-out was spurious
   */
  public boolean onAck(Delivery delivery, boolean advanced, boolean duplicate, boolean mayProbe) {
    if (step == Step.OFF) {
      return false;
    }
    // The first acknowledgement that advances may be the repeated head's, and speak of originals
    // whose own acknowledgements were lost; RFC 5682 §3.1 asks the next one.
    boolean telling = !advanced || step == Step.NEW_DATA;
    if (telling && delivery.firstOriginal() <= timeoutOrder) {
      step = Step.OFF;
      return true;
    }
    if (duplicate || step == Step.NEW_DATA || !mayProbe) {
      step = Step.OFF; // step 2a, 3a: it was lost; or nothing can be found out
    } else if (advanced) {
      step = Step.NEW_DATA;
    }
    return false;
  }
}
