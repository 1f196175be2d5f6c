package org.ilnp4j.tcp.recovery;

import org.ilnp4j.tcp.recovery.SentSegment.Fate;
import org.ilnp4j.util.Seq;

/**
 * All segments sent and not acknowledged cumulatively, in sequence order: a ring of records that
 * are used again, so that sending allocates nothing in the steady state. Keeps the sums the sender
 * needs (in flight in all and per path, lost) up to date with every change.
 */
public final class RetransmitQueue {
  private static final int MIN_CAPACITY = 8;
  private static final int IDLE_CAPACITY = 32;

  private SentSegment[] ring;
  private int head;
  private int size;
  private long inFlightBytes;
  private long lostBytes;
  private long lostSegments;

  /** No record before this sequence number is lost; a hint that saves walking. */
  private int lostFrom;

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** In flight on all paths together. */
  public long inFlightBytes() {
    return inFlightBytes;
  }

  /** Lost and not sent again yet. */
  public long lostBytes() {
    return lostBytes;
  }

  /** Segments ever taken for lost, whether they were or not. */
  public long lostSegments() {
    return lostSegments;
  }

  /** The record at a position, 0 the lowest in sequence. */
  public SentSegment get(int i) {
    return ring[head + i & ring.length - 1];
  }

  public SentSegment first() {
    return size == 0 ? null : get(0);
  }

  public SentSegment last() {
    return size == 0 ? null : get(size - 1);
  }

  /** Position of the first record that ends after {@code seq}; {@link #size} when there is none. */
  public int indexAfter(int seq) {
    int low = 0;
    int high = size;
    while (low < high) {
      int mid = (low + high) >>> 1;
      if (Seq.gt(get(mid).endSeq(), seq)) {
        high = mid;
      } else {
        low = mid + 1;
      }
    }
    return low;
  }

  /** Adds a record at the end; it counts as in flight only after {@link #sent}. */
  public SentSegment append(int seq, int length, boolean fin, boolean probe) {
    ensureRoom();
    SentSegment s = slot(size++);
    s.seq = seq;
    s.length = length;
    s.segmentBytes = length;
    s.fin = fin;
    s.probe = probe;
    s.sizeProbe = false;
    s.lostByMove = false;
    s.fate = Fate.LOST;
    s.transmissions = 0;
    s.path = null;
    if (lostBytes == 0 || Seq.lt(seq, lostFrom)) {
      lostFrom = seq;
    }
    lostBytes += length;
    return s;
  }

  /** Records a transmission. */
  public void sent(SentSegment s, PathState path, long nowNanos, long order, int tsVal) {
    leave(s);
    s.fate = Fate.IN_FLIGHT;
    s.path = path;
    s.sizeProbe &= s.transmissions == 0;
    s.transmissions++;
    s.sentNanos = nowNanos;
    s.order = order;
    s.tsVal = tsVal;
    s.lostByMove = false;
    inFlightBytes += s.length;
    path.onSent(s, nowNanos);
  }

  public void markSacked(SentSegment s) {
    if (s.fate != Fate.SACKED) {
      leave(s);
      s.fate = Fate.SACKED;
      s.sackedSegments = s.segments();
      s.path.onSacked(s);
    }
  }

  /**
   * Takes a record out of flight.
   *
   * @param byMove true when its path broke: no sign of congestion
   */
  public void markLost(SentSegment s, boolean byMove) {
    if (s.fate == Fate.LOST) {
      s.lostByMove |= byMove;
      return;
    }
    leave(s);
    lostSegments++;
    s.fate = Fate.LOST;
    s.lostByMove = byMove;
    if (lostBytes == 0 || Seq.lt(s.seq, lostFrom)) {
      lostFrom = s.seq;
    }
    lostBytes += s.length;
  }

  /** It was not lost after all, or may not be: counts as in flight again, as last sent. */
  public void markInFlight(SentSegment s) {
    if (s.fate == Fate.LOST && s.path != null) {
      leave(s);
      s.fate = Fate.IN_FLIGHT;
      inFlightBytes += s.length;
      s.path.onBackInFlight(s);
    }
  }

  private void leave(SentSegment s) {
    switch (s.fate) {
      case IN_FLIGHT -> {
        inFlightBytes -= s.length;
        s.path.onLeftFlight(s);
      }
      case LOST -> lostBytes -= s.length;
      case SACKED -> s.path.onSackForgotten(s);
    }
  }

  /** The lowest lost record, or null. */
  public SentSegment firstLost() {
    int i = firstLostIndex();
    return i < 0 ? null : get(i);
  }

  /** Position of the lowest lost record, or -1. */
  public int firstLostIndex() {
    if (lostBytes == 0) {
      return -1;
    }
    int i = indexAfter(lostFrom);
    while (get(i).fate != Fate.LOST) {
      i++;
    }
    lostFrom = get(i).seq;
    return i;
  }

  /** Position of the lowest lost record at or behind {@code seq}, or -1. */
  public int firstLostIndexFrom(int seq) {
    for (int i = indexAfter(seq); i < size; i++) {
      if (get(i).fate == Fate.LOST) {
        return i;
      }
    }
    return -1;
  }

  /** Removes the lowest record. */
  public void removeFirst() {
    SentSegment s = get(0);
    leave(s);
    s.path = null;
    head = head + 1 & ring.length - 1;
    size--;
  }

  /** Removes the highest record. */
  public void removeLast() {
    SentSegment s = get(size - 1);
    leave(s);
    s.path = null;
    size--;
  }

  /** The other side has the first {@code n} octets of the lowest record, but not all of it. */
  public void trimFirst(int n) {
    SentSegment s = get(0);
    s.seq += n;
    s.length -= n;
    if (s.fate == Fate.IN_FLIGHT) {
      inFlightBytes -= n;
      s.path.inFlightBytes -= n;
    } else if (s.fate == Fate.LOST) {
      lostBytes -= n;
    } else {
      s.path.onSackTrimmed(n);
    }
  }

  /** Cuts the record at a position in two, the first of {@code firstLength} octets. */
  public void split(int i, int firstLength) {
    SentSegment s = get(i);
    SentSegment spare = insert(i + 1);
    spare.seq = s.seq + firstLength;
    spare.length = s.length - firstLength;
    spare.segmentBytes = s.segmentBytes;
    spare.sackedSegments = 0;
    spare.fin = s.fin;
    spare.probe = false;
    spare.sizeProbe = false;
    spare.lostByMove = s.lostByMove;
    spare.fate = s.fate;
    spare.transmissions = s.transmissions;
    spare.sentNanos = s.sentNanos;
    spare.order = s.order;
    spare.tsVal = s.tsVal;
    spare.path = s.path;
    if (s.stamp != null) {
      spare.stamp = s.stamp.copyTo(spare.stamp);
    }
    s.length = firstLength;
    s.fin = false;
    if (s.fate == Fate.IN_FLIGHT) {
      s.path.link(spare, s);
    }
  }

  /** Makes the first segment of the record at a position a record of its own. */
  public void splitFirstSegment(int i) {
    SentSegment s = get(i);
    if (s.segments() > 1) {
      split(i, s.segmentBytes);
    }
  }

  /** Makes the last segment of all a record of its own; returns it, or null when there is none. */
  public SentSegment splitLastSegment() {
    SentSegment s = last();
    if (s != null && s.segments() > 1) {
      split(size - 1, (s.segments() - 1) * s.segmentBytes);
    }
    return last();
  }

  /** Makes room at a position, on the side where less has to be moved, and gives the record. */
  private SentSegment insert(int i) {
    ensureRoom();
    SentSegment spare;
    if (i > size / 2) {
      spare = slot(size);
      for (int j = size; j > i; j--) {
        ring[head + j & ring.length - 1] = get(j - 1);
      }
    } else {
      head = head - 1 & ring.length - 1;
      spare = slot(0);
      for (int j = 0; j < i; j++) {
        ring[head + j & ring.length - 1] = get(j + 1);
      }
    }
    ring[head + i & ring.length - 1] = spare;
    size++;
    return spare;
  }

  /** The other side threw away what it had selectively acknowledged (RFC 2018 §8). */
  public void forgetSacks() {
    for (int i = 0; i < size; i++) {
      if (get(i).fate == Fate.SACKED) {
        markLost(get(i), false);
      }
    }
  }

  /** Removes everything. */
  public void clear() {
    while (size > 0) {
      removeFirst();
    }
    ring = null;
    head = 0;
  }

  private SentSegment slot(int i) {
    int at = head + i & ring.length - 1;
    if (ring[at] == null) {
      ring[at] = new SentSegment();
    }
    return ring[at];
  }

  private void ensureRoom() {
    if (ring == null) {
      ring = new SentSegment[MIN_CAPACITY];
      head = 0;
    } else if (size == ring.length) {
      SentSegment[] bigger = new SentSegment[ring.length * 2];
      for (int i = 0; i < size; i++) {
        bigger[i] = get(i);
      }
      ring = bigger;
      head = 0;
    }
  }

  /** To be called when the sender has nothing to do: an idle connection holds no large ring. */
  public void trim() {
    if (size == 0 && ring != null && ring.length > IDLE_CAPACITY) {
      ring = null;
      head = 0;
    }
  }
}
