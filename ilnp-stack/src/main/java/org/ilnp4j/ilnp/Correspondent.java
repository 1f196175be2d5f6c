package org.ilnp4j.ilnp;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;

/**
 * One ILCC entry: a pair of NIDs, the two nonces, and the Locators the other node is reached at
 * (RFC 6741 §5.1). In {@link SessionMode#CLASSIC} the pair of Locators is fixed and there are no
 * nonces.
 */
public final class Correspondent {
  /** Stored Locators per correspondent; an LU may name 255, the best of them are kept. */
  static final int MAX_LOCATORS = 16;

  /** Lifetime of a Locator learned from a nonce-proved packet, until an LU names it. */
  static final long LEARNED_NANOS = NanoClock.seconds(10);

  /** So long after its last packet a Locator is still taken for where the other node is. */
  private static final long HEARD_LATELY_NANOS = NanoClock.millis(250);

  /**
   * A replaced Locator is not learned again this soon: late packets must not turn a session back.
   */
  static final long NO_RELEARN_NANOS = NanoClock.seconds(2);

  /** How long a replaced Locator is remembered (2 MSL). */
  static final long AGED_NANOS = NanoClock.seconds(60);

  /** Unique within the host; a key for upper layers. */
  public final int id;

  public final SessionMode mode;
  public final long localNid;
  public final long remoteNid;

  /** What we send; null in classic mode. */
  private final Nonce nonceOut;

  /** What we expect; null until the other side's first accepted packet, always in classic mode. */
  private Nonce nonceIn;

  private final List<RemoteLocator> remote = new ArrayList<>(2);

  /** Where the other side was said to be when the entry was made; kept when it moves. */
  private final List<Long> firstKnown = new ArrayList<>(1);

  /** Where the last packet came from, if that is known from no other; 0 for none. */
  private long unknownL64;

  private LocatorPair path;
  private int sessions;
  private boolean hadSession;
  private long heardNanos = -1;
  private long usedNanos;

  /** Next ILCC entry with the same remote NID. */
  Correspondent nextSameNid;

  Correspondent(int id, SessionMode mode, long localNid, long remoteNid, Nonce nonceOut) {
    this.id = id;
    this.mode = mode;
    this.localNid = localNid;
    this.remoteNid = remoteNid;
    this.nonceOut = nonceOut;
  }

  public boolean isIlnp() {
    return mode == SessionMode.ILNP;
  }

  public Nonce nonceOut() {
    return nonceOut;
  }

  public Nonce nonceIn() {
    return nonceIn;
  }

  /** True once a nonce of the other side is known: it speaks ILNP, and never downgrades again. */
  public boolean isProven() {
    return nonceIn != null;
  }

  /** Stores the other side's nonce from the first packet that the upper layer has validated. */
  public void proveBy(PacketView view) {
    if (nonceIn == null && view.hasNonce() && isIlnp()) {
      nonceIn = Nonce.of(view);
    }
  }

  /** The Locators to use now, or null while there is none on one of the sides. */
  public LocatorPair path() {
    return path;
  }

  void path(LocatorPair newPath) {
    path = newPath;
  }

  /** Known remote Locators, aged ones included. */
  public List<RemoteLocator> remoteLocators() {
    return Collections.unmodifiableList(remote);
  }

  public RemoteLocator remoteLocator(long l64) {
    for (int i = 0; i < remote.size(); i++) {
      if (remote.get(i).l64 == l64) {
        return remote.get(i);
      }
    }
    return null;
  }

  /** True when {@code l64} is in the set the other node is known to have now. */
  boolean hasValid(long l64) {
    RemoteLocator r = remoteLocator(l64);
    return r != null && r.state == RemoteLocator.State.VALID;
  }

  /**
   * True when one of {@code l64s} is or was a Locator of this node: with an equal NID alone it may
   * be another node (RFC 6741 §5.4).
   */
  boolean isKnownAt(List<Long> l64s) {
    for (long l64 : l64s) {
      if (firstKnown.contains(l64) || remoteLocator(l64) != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Upper layers count their sessions here, so that the ILCC knows what is in use. An entry that
   * was ever retained is remembered longer.
   */
  public void retain() {
    sessions++;
    hadSession = true;
  }

  public void release(long nowNanos) {
    if (sessions == 0) {
      throw new IllegalStateException("correspondent " + id + " released too often");
    }
    sessions--;
    usedNanos = nowNanos;
  }

  public int sessions() {
    return sessions;
  }

  /** True for an entry made for a first packet that no session came of (yet). */
  boolean isTentative() {
    return !hadSession;
  }

  /** When a nonce-proved or set-proved packet last came in, or -1. */
  public long heardNanos() {
    return heardNanos;
  }

  long usedNanos() {
    return Math.max(usedNanos, heardNanos);
  }

  void used(long nowNanos) {
    usedNanos = nowNanos;
  }

  void heard(long nowNanos, long l64, boolean data) {
    heardNanos = nowNanos;
    RemoteLocator r = data ? remoteLocator(l64) : null;
    if (r != null) {
      r.heardNanos = nowNanos;
    }
  }

  void addLocator(long l64, int preference, long expiresNanos) {
    if (remoteLocator(l64) == null && remote.size() < MAX_LOCATORS) {
      remote.add(new RemoteLocator(l64, preference, expiresNanos));
      firstKnown.add(l64);
    }
  }

  /**
   * Adds the Locator of a packet that carried the right nonce, or confirms one learned so before.
   * No checksum covers a Locator: while packets come from known ones, an unknown one is believed
   * when two in a row come from it, or each bit that flips on the way would turn the session
   * elsewhere. Returns true when the set changed.
   */
  boolean learn(long nowNanos, long l64) {
    RemoteLocator known = remoteLocator(l64);
    boolean again = l64 == unknownL64;
    unknownL64 = 0;
    if (known != null) {
      if (known.state == RemoteLocator.State.VALID) {
        if (known.learned) {
          known.expiresNanos = nowNanos + LEARNED_NANOS;
        }
        return false;
      }
      if (nowNanos - known.agedNanos < NO_RELEARN_NANOS) {
        return false;
      }
      known.state = RemoteLocator.State.VALID;
      known.preference = 0;
      known.expiresNanos = nowNanos + LEARNED_NANOS;
      known.learned = true;
      return true;
    }
    if (!Ip6.isRoutable(l64)) {
      return false;
    }
    if (!again && isHeardElsewhere(nowNanos)) {
      unknownL64 = l64;
      return false;
    }
    if (remote.size() >= MAX_LOCATORS) {
      dropOldestAged();
    }
    if (remote.size() >= MAX_LOCATORS) {
      return false;
    }
    RemoteLocator r = new RemoteLocator(l64, 0, nowNanos + LEARNED_NANOS);
    r.learned = true;
    remote.add(r);
    return true;
  }

  /** Session data came from a valid Locator a moment ago. */
  private boolean isHeardElsewhere(long nowNanos) {
    for (RemoteLocator r : remote) {
      if (r.state == RemoteLocator.State.VALID
          && r.heardNanos >= 0
          && nowNanos - r.heardNanos < HEARD_LATELY_NANOS) {
        return true;
      }
    }
    return false;
  }

  /**
   * Replaces the set by what a Locator Update names (RFC 6743 §3): the {@link #MAX_LOCATORS} most
   * preferred become valid, the earlier listed on a tie, all others aged. Parallel arrays,
   * lifetimes in seconds; 0 means "remove". What no packet can be sent to is left out.
   */
  void replaceLocators(long nowNanos, int n, long[] l64, int[] preference, int[] lifetimeSeconds) {
    List<RemoteLocator> before = new ArrayList<>(remote);
    remote.clear();
    for (int i = 0; i < n; i++) {
      if (lifetimeSeconds[i] == 0 || remoteLocator(l64[i]) != null || !Ip6.isRoutable(l64[i])) {
        continue;
      }
      RemoteLocator r =
          new RemoteLocator(
              l64[i], preference[i], nowNanos + NanoClock.seconds(lifetimeSeconds[i]));
      for (RemoteLocator old : before) {
        if (old.l64 == r.l64) {
          r.heardNanos = old.heardNanos;
        }
      }
      insertByPreference(r);
    }
    for (RemoteLocator old : before) {
      if (remoteLocator(old.l64) == null && remote.size() < MAX_LOCATORS) {
        if (old.state == RemoteLocator.State.VALID) {
          old.state = RemoteLocator.State.AGED;
          old.agedNanos = nowNanos;
          old.learned = false;
        }
        if (nowNanos - old.agedNanos < AGED_NANOS) {
          remote.add(old);
        }
      }
    }
  }

  private void insertByPreference(RemoteLocator r) {
    int at = remote.size();
    while (at > 0 && remote.get(at - 1).preference > r.preference) {
      at--;
    }
    if (at < MAX_LOCATORS) {
      remote.add(at, r);
    }
    if (remote.size() > MAX_LOCATORS) {
      remote.remove(MAX_LOCATORS);
    }
  }

  /**
   * Ages learned Locators that nothing has confirmed for their lifetime, unless there is none
   * better, and forgets those aged long ago. Returns true when a valid one went.
   */
  boolean expireLocators(long nowNanos) {
    boolean changed = false;
    for (RemoteLocator r : remote) {
      if (r.state == RemoteLocator.State.VALID
          && r.learned
          && r.expiresNanos <= nowNanos
          && hasBetterThan(r)) {
        r.state = RemoteLocator.State.AGED;
        r.learned = false;
        // No update has replaced it: it is learned again as soon as a packet comes from it.
        r.agedNanos = nowNanos - NO_RELEARN_NANOS;
        changed = true;
      }
    }
    remote.removeIf(
        r -> r.state == RemoteLocator.State.AGED && nowNanos - r.agedNanos >= AGED_NANOS);
    return changed;
  }

  private boolean hasBetterThan(RemoteLocator learned) {
    for (RemoteLocator r : remote) {
      if (r.state == RemoteLocator.State.VALID
          && r != learned
          && (!r.learned || r.expiresNanos > learned.expiresNanos)) {
        return true;
      }
    }
    return false;
  }

  private void dropOldestAged() {
    RemoteLocator oldest = null;
    for (RemoteLocator r : remote) {
      if (r.state == RemoteLocator.State.AGED
          && (oldest == null || r.agedNanos < oldest.agedNanos)) {
        oldest = r;
      }
    }
    remote.remove(oldest);
  }

  @Override
  public String toString() {
    return "correspondent " + id + " " + mode + " " + Nid.format(remoteNid);
  }
}
