package org.ilnp4j.ilnp;

import io.netty.util.collection.LongObjectHashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.util.KeyedHash;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;

/**
 * The Identifier-Locator Communication Cache (RFC 6741 §5): all correspondents of this node. {@link
 * #admit} applies the lookup rules of RFC 6741 §5.4 and the validation rules of RFC 6744 §4 and §7
 * to each packet that comes in.
 */
public final class Ilcc {
  /** An entry no session uses is forgotten after this (2 MSL). */
  static final long IDLE_NANOS = NanoClock.seconds(120);

  /** A tentative entry that never got a session goes sooner. */
  static final long TENTATIVE_NANOS = NanoClock.seconds(10);

  /**
   * When the table is full, entries unused for this long make room. Looked for once in that time,
   * so that a flood does not pay for a search with every packet.
   */
  static final long EVICT_NANOS = NanoClock.seconds(1);

  /** An unused but proven entry is used for new sessions while it was heard this recently. */
  static final long REUSE_NANOS = NanoClock.seconds(30);

  /** Told when the Locators of either side change in a way that matters to {@code c}. */
  @FunctionalInterface
  public interface Observer {
    void onLocatorsChanged(long nowNanos, Correspondent c);
  }

  private final long localNid;
  private final int nonceBytes;
  private final int maxCorrespondents;
  private final RandomGenerator random;
  private final KeyedHash answers;
  private final Counters counters;
  private final LocalLocators local = new LocalLocators();
  private final LongObjectHashMap<Correspondent> byRemoteNid = new LongObjectHashMap<>();
  private Observer observer = (now, c) -> {};
  private int size;
  private int nextId = 1;
  private long evictAgainNanos;
  private long answersUntilNanos;
  private Correspondent match;

  public Ilcc(
      long localNid,
      int nonceBytes,
      int maxCorrespondents,
      RandomGenerator random,
      Counters counters) {
    this.localNid = localNid;
    this.nonceBytes = nonceBytes;
    this.maxCorrespondents = maxCorrespondents;
    this.random = random;
    this.counters = counters;
    answers = new KeyedHash(random);
  }

  public void observer(Observer newObserver) {
    observer = newObserver;
  }

  public long localNid() {
    return localNid;
  }

  public LocalLocators local() {
    return local;
  }

  public int size() {
    return size;
  }

  /**
   * Decides about a packet that came in. Null means it may go up, with {@link #match()} set; a null
   * match then means that no entry fits and the upper layer may open a session or answer.
   */
  public DropReason admit(long nowNanos, PacketView v) {
    match = null;
    if (v.dstNid != localNid) {
      return DropReason.IP_NOT_FOR_US;
    }
    return v.hasNonce() ? admitWithNonce(nowNanos, v) : admitWithoutNonce(nowNanos, v);
  }

  /** The correspondent of the packet last admitted, or null. */
  public Correspondent match() {
    return match;
  }

  /** RFC 6741 §5.4: a packet with a nonce is looked up by NID and nonce. */
  private DropReason admitWithNonce(long nowNanos, PacketView v) {
    Correspondent unproven = null;
    boolean wrongNonce = false;
    for (Correspondent c = byRemoteNid.get(v.srcNid); c != null; c = c.nextSameNid) {
      if (!c.isIlnp()) {
        continue;
      }
      if (c.nonceIn() == null) {
        if (isCandidate(c, v) && (unproven == null || !unproven.hasValid(v.srcL64))) {
          unproven = c;
        }
      } else if (c.nonceIn().matches(v)) {
        accept(nowNanos, c, v);
        return null;
      } else {
        wrongNonce = true;
      }
    }
    if (unproven != null) {
      // Not believed yet: the upper layer checks its own proof (such as a SYN's sequence number)
      // and then stores the nonce.
      match = unproven;
      return null;
    }
    if (wrongNonce && !opensSession(v) && !mayAnswer(nowNanos, v)) {
      return DropReason.NONCE_WRONG;
    }
    return null;
  }

  /**
   * True when a packet with a nonce may be the first from the other side of {@code c}. Its Locator
   * need not be the one we sent to, for a router may have rewritten it (RFC 6748 §2); but a packet
   * that opens a session from elsewhere rather comes from another node with the same NID.
   */
  private static boolean isCandidate(Correspondent c, PacketView v) {
    return c.isIlnp() && !c.isProven() && (c.hasValid(v.srcL64) || !opensSession(v));
  }

  /** RFC 6741 §5.4: a packet without a nonce is looked up by Locator and NID. */
  private DropReason admitWithoutNonce(long nowNanos, PacketView v) {
    boolean provenElsewhere = false;
    for (Correspondent c = byRemoteNid.get(v.srcNid); c != null; c = c.nextSameNid) {
      if (fits(c, v)) {
        if (v.protocol == Ip6.PROTO_ICMP6 && c.isIlnp() && c.isProven()) {
          return DropReason.NONCE_MISSING_ICMP;
        }
        match = c;
        heard(nowNanos, c, v);
        return null;
      }
      provenElsewhere |= c.isIlnp() && c.isProven();
    }
    return provenElsewhere ? DropReason.NONCE_MISSING_UNKNOWN_LOCATOR : null;
  }

  /**
   * The next entry, after {@code c}, that the packet may belong to: peers that share a NID and a
   * Locator, or that are not proven yet, are told apart by the upper layer's ports. Null at the
   * end, and always for a packet whose nonce has named its entry.
   */
  public Correspondent nextMatch(Correspondent c, PacketView v) {
    if (v.hasNonce() && c.isProven()) {
      return null;
    }
    Correspondent next = c.nextSameNid;
    while (next != null && !(v.hasNonce() ? isCandidate(next, v) : fits(next, v))) {
      next = next.nextSameNid;
    }
    return next;
  }

  private static boolean fits(Correspondent c, PacketView v) {
    if (c.isIlnp()) {
      return c.hasValid(v.srcL64);
    }
    return c.path().remoteL64() == v.srcL64 && c.path().localL64() == v.dstL64;
  }

  /**
   * The entry a packet of ours, quoted in an ICMPv6 error, was sent with: it shows the nonce we
   * send, or, in classic mode, both our addresses. Null when we cannot have sent it.
   */
  public Correspondent findQuoted(PacketView quoted) {
    if (quoted.srcNid != localNid) {
      return null;
    }
    for (Correspondent c = byRemoteNid.get(quoted.dstNid); c != null; c = c.nextSameNid) {
      if (c.isIlnp()
          ? quoted.hasNonce() && c.nonceOut().matches(quoted)
          : !quoted.hasNonce()
              && c.path().localL64() == quoted.srcL64
              && c.path().remoteL64() == quoted.dstL64) {
        return c;
      }
    }
    return null;
  }

  private void accept(long nowNanos, Correspondent c, PacketView v) {
    match = c;
    boolean changed = c.learn(nowNanos, v.srcL64);
    heard(nowNanos, c, v);
    if (changed) {
      counters.add(Counter.LOCATOR_LEARNED);
      refresh(nowNanos, c);
    }
  }

  /** ICMP says that the other side lives, but not that its session data takes this way. */
  private static void heard(long nowNanos, Correspondent c, PacketView v) {
    c.heard(nowNanos, v.srcL64, v.protocol != Ip6.PROTO_ICMP6);
  }

  /** True for a packet that may be the first of a session with a second node of the same NID. */
  private static boolean opensSession(PacketView v) {
    return v.protocol == Ip6.PROTO_UDP || tcpFlags(v) == TcpHeader.SYN;
  }

  /** Those of SYN, ACK and RST that are set; 0 when it is not TCP. */
  private static int tcpFlags(PacketView v) {
    return v.protocol == Ip6.PROTO_TCP && v.upperLength >= TcpHeader.MIN_BYTES
        ? v.buf.getByte(v.upperIndex + 13) & (TcpHeader.SYN | TcpHeader.ACK | TcpHeader.RST)
        : 0;
  }

  private boolean mayAnswer(long nowNanos, PacketView v) {
    return nowNanos < answersUntilNanos && tcpFlags(v) == TcpHeader.ACK;
  }

  /**
   * Until then, a TCP acknowledgement with an unknown nonce may answer what was sent without an
   * entry (SYN cookies): it is let through for TCP to look at.
   */
  public void expectAnswers(long untilNanos) {
    answersUntilNanos = untilNanos;
  }

  /** True when the sender's NID is known, be it that of another node. */
  public boolean knowsSender(PacketView v) {
    return byRemoteNid.containsKey(v.srcNid);
  }

  /**
   * The entry to open a session to {@code remoteNid} with: one in use, or a proven one heard of
   * lately, of the node that is or was at one of {@code remoteL64s}; else a new one with nonces of
   * its own. Null when the table is full.
   *
   * @param remoteL64s known Locators, most preferred first, at least one
   */
  public Correspondent open(
      long nowNanos, long remoteNid, List<Long> remoteL64s, long lifetimeNanos) {
    for (Correspondent c = byRemoteNid.get(remoteNid); c != null; c = c.nextSameNid) {
      if (c.isIlnp()
          && (c.sessions() > 0 || isFresh(nowNanos, c))
          && c.isKnownAt(remoteL64s)
          && c.path() != null) {
        return c;
      }
    }
    return openFresh(nowNanos, remoteNid, remoteL64s, lifetimeNanos);
  }

  private static boolean isFresh(long nowNanos, Correspondent c) {
    return c.isProven() && c.heardNanos() >= 0 && nowNanos - c.heardNanos() < REUSE_NANOS;
  }

  /** As {@link #open}, but never shares an entry: for a peer that may have lost its memory. */
  public Correspondent openFresh(
      long nowNanos, long remoteNid, List<Long> remoteL64s, long lifetimeNanos) {
    Correspondent c =
        insert(nowNanos, SessionMode.ILNP, remoteNid, Nonce.random(nonceBytes, random));
    if (c != null) {
      int preference = 10;
      for (long l64 : remoteL64s) {
        c.addLocator(l64, preference, nowNanos + lifetimeNanos);
        preference += 10;
      }
      c.used(nowNanos);
      c.path(LocatorSelection.select(nowNanos, local, c));
    }
    return c;
  }

  /**
   * A tentative entry for the sender of a packet that opens a session: ILNP when it carries a
   * nonce, classic otherwise (RFC 6744 §6). Null when the table is full. It goes by itself unless a
   * session retains it.
   */
  public Correspondent openFrom(long nowNanos, PacketView v) {
    if (!v.hasNonce()) {
      return openClassic(nowNanos, v.dstL64, v.srcNid, v.srcL64);
    }
    Correspondent c = insert(nowNanos, SessionMode.ILNP, v.srcNid, answer(v));
    if (c != null) {
      c.proveBy(v);
      c.addLocator(v.srcL64, 10, nowNanos + Correspondent.LEARNED_NANOS);
      heard(nowNanos, c, v);
      c.path(LocatorSelection.select(nowNanos, local, c));
    }
    return c;
  }

  /**
   * Our nonce for the sender of a packet with a nonce that no entry knows. It follows from the
   * sender's, by a secret hash, so that it can be given before there is an entry (SYN cookies), and
   * is the same for all the sender's sessions. As many octets as the other side uses: it may know
   * only one length.
   */
  public Nonce answer(PacketView v) {
    long high = (long) v.nonceLength << 32 | v.nonceHigh & 0xffff_ffffL;
    long first = answers.hash(v.srcNid, high, v.nonceLow);
    long second = answers.hash(first, high, v.nonceLow);
    return Nonce.unpredictable(v.nonceLength, (int) first == 0 ? 1 : (int) first, second);
  }

  /** The classic entry for a full pair of addresses, made when missing. Null when full. */
  public Correspondent openClassic(long nowNanos, long localL64, long remoteNid, long remoteL64) {
    for (Correspondent c = byRemoteNid.get(remoteNid); c != null; c = c.nextSameNid) {
      if (!c.isIlnp() && c.path().localL64() == localL64 && c.path().remoteL64() == remoteL64) {
        return c;
      }
    }
    Correspondent c = insert(nowNanos, SessionMode.CLASSIC, remoteNid, null);
    if (c != null) {
      c.addLocator(remoteL64, 10, NanoClock.NEVER);
      c.used(nowNanos);
      c.path(new LocatorPair(localL64, remoteL64));
    }
    return c;
  }

  private Correspondent insert(long nowNanos, SessionMode mode, long remoteNid, Nonce nonceOut) {
    if (size >= maxCorrespondents && nowNanos >= evictAgainNanos) {
      evictAgainNanos = nowNanos + EVICT_NANOS;
      removeUnused(nowNanos, EVICT_NANOS, EVICT_NANOS);
    }
    if (size >= maxCorrespondents) {
      counters.drop(DropReason.CORRESPONDENT_TABLE_FULL);
      return null;
    }
    Correspondent c = new Correspondent(nextId++, mode, localNid, remoteNid, nonceOut);
    c.nextSameNid = byRemoteNid.put(remoteNid, c);
    size++;
    return c;
  }

  /** Replaces the Locators of {@code c} as a valid Locator Update says (RFC 6743 §3). */
  public void replaceLocators(
      long nowNanos, Correspondent c, int n, long[] l64, int[] preference, int[] lifetimeSeconds) {
    c.replaceLocators(nowNanos, n, l64, preference, lifetimeSeconds);
    refresh(nowNanos, c);
  }

  /**
   * To be called after any change in {@link #local()}: chooses the path of every entry anew, and
   * lets those without a choice know whether theirs is there.
   */
  public void localChanged(long nowNanos) {
    for (Correspondent c : all()) {
      refresh(nowNanos, c);
    }
  }

  private void refresh(long nowNanos, Correspondent c) {
    if (c.isIlnp()) {
      c.path(LocatorSelection.select(nowNanos, local, c));
    }
    observer.onLocatorsChanged(nowNanos, c);
  }

  /** True while packets sent on {@code pair} may still arrive as far as this node knows. */
  public boolean isUsable(Correspondent c, LocatorPair pair) {
    return !c.isIlnp() || (local.get(pair.localL64()) != null && c.hasValid(pair.remoteL64()));
  }

  /** Forgets entries that no session has used for long, and Locators that nothing confirmed. */
  public void expire(long nowNanos) {
    removeUnused(nowNanos, IDLE_NANOS, TENTATIVE_NANOS);
    for (Correspondent c : all()) {
      if (c.isIlnp() && c.expireLocators(nowNanos)) {
        refresh(nowNanos, c);
      }
    }
  }

  private void removeUnused(long nowNanos, long idleNanos, long tentativeNanos) {
    for (Correspondent c : all()) {
      long limit = c.isTentative() ? tentativeNanos : idleNanos;
      if (c.sessions() == 0 && nowNanos - c.usedNanos() >= limit) {
        remove(c);
      }
    }
  }

  /** Removes every entry that no session retains. */
  public void clearUnused() {
    for (Correspondent c : all()) {
      if (c.sessions() == 0) {
        remove(c);
      }
    }
  }

  private void remove(Correspondent gone) {
    Correspondent head = byRemoteNid.get(gone.remoteNid);
    if (head == gone) {
      if (gone.nextSameNid == null) {
        byRemoteNid.remove(gone.remoteNid);
      } else {
        byRemoteNid.put(gone.remoteNid, gone.nextSameNid);
      }
    } else {
      Correspondent c = head;
      while (c.nextSameNid != gone) {
        c = c.nextSameNid;
      }
      c.nextSameNid = gone.nextSameNid;
    }
    gone.nextSameNid = null;
    size--;
  }

  /** A snapshot of all entries. */
  public List<Correspondent> all() {
    List<Correspondent> out = new ArrayList<>(size);
    forEach(out::add);
    return out;
  }

  public void forEach(Consumer<Correspondent> action) {
    for (Correspondent head : byRemoteNid.values()) {
      for (Correspondent c = head; c != null; c = c.nextSameNid) {
        action.accept(c);
      }
    }
  }
}
