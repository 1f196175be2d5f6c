package org.ilnp4j.ip6;

import org.ilnp4j.time.NanoClock;
import org.ilnp4j.wire.Ip6;

/**
 * The search for the packet size of one path (RFC 8899 §5): what it carries, what it does not, and
 * which size to try next. A transport sends the probes, ordinary data in a packet that is larger
 * than others, and says what became of them. Sizes are octets of whole IPv6 packets.
 *
 * <p>A path begins without a search, with the MTU of the link (RFC 8201 §3). A Packet Too Big, or a
 * black hole, begins one. When it is complete it starts again after ten minutes (RFC 8201 §4, RFC
 * 8899 §5.1.1 PMTU_RAISE_TIMER).
 */
public final class Plpmtud {
  /** {@code BASE_PLPMTU}: every IPv6 path carries it (RFC 8899 §5.1.2). */
  static final int BASE_BYTES = Ip6.MIN_MTU;

  static final long RAISE_NANOS = NanoClock.seconds(600);

  /** {@code MAX_PROBES}: a size is given up when so many were lost. */
  static final int MAX_PROBES = 3;

  /** A probe whose sender has not said what became of it is forgotten. */
  static final long FORGET_NANOS = NanoClock.seconds(60);

  /** The search ends when the bounds are as close as this part of the size. */
  private static final int GRANULARITY = 32;

  /** Sizes that paths have: tunnels, PPPoE, Ethernet, jumbo frames of several makers. */
  private static final int[] USUAL = {
    1400, 1420, 1440, 1450, 1460, 1472, 1480, 1492, 1500, 4352, 8000, 9000, 9180, 16110
  };

  private final int linkMtu;

  /** The path carries it. */
  private int bytes;

  /** The least size it is known not to carry; one more than the link's MTU when none is known. */
  private int tooLarge;

  /** What a black hole seems to swallow is tried first: an outage looks the same. 0 when tried. */
  private int suspect;

  private int probeBytes;
  private int losses;
  private long probeSentNanos;

  /** When the bounds are forgotten and the search begins anew. */
  private long raiseNanos;

  private Plpmtud(int linkMtu, int bytes, int tooLarge, long raiseNanos) {
    this.linkMtu = linkMtu;
    this.bytes = bytes;
    this.tooLarge = tooLarge;
    this.raiseNanos = raiseNanos;
  }

  /** A router said that {@code mtu} is what it can forward. */
  static Plpmtud limited(long nowNanos, int linkMtu, int mtu) {
    return new Plpmtud(linkMtu, mtu, mtu + 1, nowNanos + RAISE_NANOS);
  }

  /** Packets of {@code lostBytes} vanish and no router says why. */
  static Plpmtud blackHole(long nowNanos, int linkMtu, int lostBytes) {
    Plpmtud search = new Plpmtud(linkMtu, BASE_BYTES, linkMtu + 1, 0);
    search.onBlackHole(nowNanos, lostBytes);
    return search;
  }

  /** The size to send packets of. */
  int bytes() {
    return bytes;
  }

  /**
   * The size to send a probe of, or 0.
   *
   * @param most what the connection that asks could send
   */
  public int nextProbe(long nowNanos, int most) {
    if (probeBytes != 0 && nowNanos - probeSentNanos < FORGET_NANOS) {
      return 0;
    }
    probeBytes = 0;
    if (nowNanos >= raiseNanos) {
      raiseNanos = nowNanos + RAISE_NANOS;
      tooLarge = linkMtu + 1;
      losses = 0;
    }
    int high = Math.min(tooLarge, most + 1);
    if (high - bytes <= 1) {
      return 0;
    }
    if (suspect != 0 && suspect < high) {
      return suspect;
    }
    int middle = bytes + (high - bytes) / 2;
    int usual = nearestUsual(middle, bytes + 1, high - 1);
    if (usual != 0) {
      return usual;
    }
    if (high - 1 == Math.min(linkMtu, most)) {
      return high - 1; // never tried, and most likely what it is
    }
    return high - bytes > bytes / GRANULARITY ? middle : 0;
  }

  /** The usual size nearest to {@code middle} from {@code least} to {@code most}, or 0. */
  private static int nearestUsual(int middle, int least, int most) {
    int best = 0;
    for (int size : USUAL) {
      if (size >= least
          && size <= most
          && (best == 0 || Math.abs(size - middle) < Math.abs(best - middle))) {
        best = size;
      }
    }
    return best;
  }

  /** A probe left; one at a time. */
  public void onProbeSent(long nowNanos, int size) {
    probeBytes = size;
    probeSentNanos = nowNanos;
  }

  /** A probe arrived: the path carries packets of its size. */
  public void onProbeArrived(long nowNanos, int size) {
    if (size != probeBytes) {
      return;
    }
    probeBytes = 0;
    suspect = 0;
    losses = 0;
    bytes = Math.max(bytes, Math.min(size, tooLarge - 1));
    raiseNanos = nowNanos + RAISE_NANOS;
  }

  /** A probe did not arrive, which may be its size or chance. */
  public void onProbeLost(long nowNanos, int size) {
    if (size != probeBytes) {
      return;
    }
    probeBytes = 0;
    if (++losses >= MAX_PROBES || size == suspect) {
      suspect = 0;
      losses = 0;
      tooLarge = Math.min(tooLarge, size);
      raiseNanos = nowNanos + RAISE_NANOS;
    }
  }

  /** The probe's sender is gone, or was lost in a way that says nothing of its size. */
  public void onProbeUndecided(int size) {
    if (size == probeBytes) {
      probeBytes = 0;
    }
  }

  /** True when less is known to fit than before. */
  boolean onTooBig(long nowNanos, int mtu) {
    if (mtu + 1 >= tooLarge) {
      return false;
    }
    boolean lower = mtu < bytes;
    tooLarge = mtu + 1;
    bytes = Math.min(bytes, mtu);
    suspect = 0;
    losses = 0;
    raiseNanos = nowNanos + RAISE_NANOS;
    return lower;
  }

  void onBlackHole(long nowNanos, int lostBytes) {
    suspect = lostBytes;
    bytes = BASE_BYTES;
    losses = 0;
    raiseNanos = nowNanos + RAISE_NANOS;
  }
}
