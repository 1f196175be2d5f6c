package org.ilnp4j.ilnp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.NonceOption;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Lookup (RFC 6741 §5.4), validation (RFC 6744 §4, §7) and ageing (RFC 6741 §5.2) of
 * correspondents.
 */
class IlccTest {
  private static final long MN = 0x0214_4fff_feab_cd01L;
  private static final long CN = 0x0214_4fff_feab_cd02L;
  private static final long HOME = 0x2001_0db8_0001_0001L;
  private static final long A = 0x2001_0db8_0002_0002L;
  private static final long B = 0x2001_0db8_0003_0003L;
  private static final long C = 0x2001_0db8_0004_0004L;
  private static final int NONCE = 0x0badcafe;
  private static final int OTHER_NONCE = 0x600dcafe;
  private static final int NONE = 0;
  private static final long SECOND = NanoClock.seconds(1);

  private final Counters counters = new Counters();
  private final Ilcc ilcc = new Ilcc(MN, 12, 8, new Random(5), counters);
  private final List<String> changes = new ArrayList<>();
  private final PacketView view = new PacketView();
  private long now = 1000 * SECOND;

  @BeforeEach
  void attach() {
    ilcc.local().add(local(HOME, LocalLocator.State.ACTIVE));
    ilcc.observer((at, c) -> changes.add(c.id + " " + c.path()));
  }

  private static LocalLocator local(long l64, LocalLocator.State state) {
    return new LocalLocator(l64, "wlan0", state, 10, NanoClock.NEVER);
  }

  // --- packets

  private PacketView packet(long srcL64, long srcNid, int nonce, int protocol, String upper) {
    ByteBuf buf = Unpooled.buffer();
    byte[] body = org.ilnp4j.wire.Hex.bytes(upper);
    int ext = nonce == NONE ? 0 : 8;
    Ip6.write(
        buf,
        0,
        ext + body.length,
        ext == 0 ? protocol : Ip6.PROTO_DEST_OPTS,
        64,
        srcL64,
        srcNid,
        HOME,
        MN);
    if (nonce != NONE) {
      NonceOption.write(buf, protocol, 4, nonce, 0);
    }
    buf.writeBytes(body);
    assertThat(view.parse(buf)).isNull();
    return view;
  }

  private PacketView tcp(long srcL64, long srcNid, int nonce, int flags) {
    return packet(
        srcL64,
        srcNid,
        nonce,
        Ip6.PROTO_TCP,
        String.format("0001 0002 00000000 00000000 50%02x ffff 0000 0000", flags));
  }

  private PacketView data(long srcL64, int nonce) {
    return tcp(srcL64, CN, nonce, TcpHeader.ACK);
  }

  private PacketView syn(long srcL64, int nonce) {
    return tcp(srcL64, CN, nonce, TcpHeader.SYN);
  }

  private PacketView icmp(long srcL64, int nonce) {
    return packet(srcL64, CN, nonce, Ip6.PROTO_ICMP6, "80 00 0000 00010001");
  }

  private PacketView udp(long srcL64, int nonce) {
    return packet(srcL64, CN, nonce, Ip6.PROTO_UDP, "0001 0002 0008 ffff");
  }

  private void assertDropped(PacketView v, DropReason reason) {
    assertThat(ilcc.admit(now, v)).isEqualTo(reason);
    assertThat(ilcc.match()).isNull();
  }

  private void assertMatch(PacketView v, Correspondent c) {
    assertThat(ilcc.admit(now, v)).isNull();
    assertThat(ilcc.match()).isSameAs(c);
  }

  /** CN at Locator A, proven by its nonce, with one session. */
  private Correspondent provenCn() {
    Correspondent c = ilcc.open(now, CN, List.of(A), 3600 * SECOND);
    c.retain();
    assertMatch(tcp(A, CN, NONCE, TcpHeader.SYN | TcpHeader.ACK), c);
    c.proveBy(view);
    assertThat(c.isProven()).isTrue();
    return c;
  }

  private void update(Correspondent c, Object... l64PreferenceLifetime) {
    int n = l64PreferenceLifetime.length / 3;
    long[] l64 = new long[n];
    int[] preference = new int[n];
    int[] lifetime = new int[n];
    for (int i = 0; i < n; i++) {
      l64[i] = (Long) l64PreferenceLifetime[3 * i];
      preference[i] = (Integer) l64PreferenceLifetime[3 * i + 1];
      lifetime[i] = (Integer) l64PreferenceLifetime[3 * i + 2];
    }
    ilcc.replaceLocators(now, c, n, l64, preference, lifetime);
  }

  private static String states(Correspondent c) {
    StringBuilder s = new StringBuilder();
    for (RemoteLocator r : c.remoteLocators()) {
      s.append(s.length() == 0 ? "" : ", ");
      s.append(r.l64 == A ? "A" : r.l64 == B ? "B" : r.l64 == C ? "C" : Locator.format(r.l64));
      s.append(' ').append(r.state()).append(r.isLearned() ? " learned" : "");
    }
    return s.toString();
  }

  // --- the validation table, row by row: S source Locator known, N nonce there, OK nonce right

  @Test
  void shouldAcceptDataFromKnownLocatorWithoutNonce() {
    Correspondent c = provenCn();
    assertMatch(data(A, NONE), c);
    assertMatch(udp(A, NONE), c);
  }

  @Test
  void shouldDiscardIcmpFromKnownLocatorWithoutNonce() {
    provenCn();
    assertDropped(icmp(A, NONE), DropReason.NONCE_MISSING_ICMP);
  }

  @Test
  void shouldAcceptAllFromKnownLocatorWithRightNonce() {
    Correspondent c = provenCn();
    assertMatch(data(A, NONCE), c);
    assertMatch(icmp(A, NONCE), c);
    assertMatch(udp(A, NONCE), c);
    assertThat(changes).isEmpty();
  }

  @Test
  void shouldDropAllFromKnownLocatorWithWrongNonceUnlessItOpensSession() {
    Correspondent c = provenCn();
    assertDropped(data(A, OTHER_NONCE), DropReason.NONCE_WRONG);
    assertDropped(icmp(A, OTHER_NONCE), DropReason.NONCE_WRONG);
    assertDropped(tcp(A, CN, OTHER_NONCE, TcpHeader.SYN | TcpHeader.ACK), DropReason.NONCE_WRONG);
    assertDropped(tcp(A, CN, OTHER_NONCE, TcpHeader.RST), DropReason.NONCE_WRONG);
    assertDropped(tcp(A, CN, OTHER_NONCE, TcpHeader.SYN | TcpHeader.RST), DropReason.NONCE_WRONG);
    assertMatch(syn(A, OTHER_NONCE), null);
    assertMatch(udp(A, OTHER_NONCE), null);
    assertThat(c.nonceIn()).isEqualTo(new Nonce(4, NONCE, 0));
  }

  @Test
  void shouldDropAllFromUnknownLocatorWithoutNonce() {
    provenCn();
    DropReason reason = DropReason.NONCE_MISSING_UNKNOWN_LOCATOR;
    assertDropped(data(B, NONE), reason);
    assertDropped(icmp(B, NONE), reason);
    assertDropped(udp(B, NONE), reason);
    assertDropped(syn(B, NONE), reason);
  }

  @Test
  void shouldAcceptAllFromUnknownLocatorWithRightNonceAndLearnIt() {
    Correspondent c = provenCn();
    assertMatch(data(B, NONCE), c);
    assertThat(states(c)).isEqualTo("A VALID, B VALID learned");
    assertThat(c.path()).isEqualTo(new LocatorPair(HOME, B));
    assertThat(changes).containsExactly(c.id + " " + new LocatorPair(HOME, B));
    assertThat(counters.get(Counter.LOCATOR_LEARNED)).isEqualTo(1);
    // From now on it is in the set: no nonce needed, nothing learned again.
    assertMatch(data(B, NONE), c);
    assertMatch(icmp(B, NONCE), c);
    assertThat(counters.get(Counter.LOCATOR_LEARNED)).isEqualTo(1);
  }

  @Test
  void shouldDropAllFromUnknownLocatorWithWrongNonceUnlessItOpensSession() {
    Correspondent c = provenCn();
    assertDropped(data(B, OTHER_NONCE), DropReason.NONCE_WRONG);
    assertDropped(icmp(B, OTHER_NONCE), DropReason.NONCE_WRONG);
    assertMatch(syn(B, OTHER_NONCE), null);
    assertThat(states(c)).isEqualTo("A VALID");
  }

  @Test
  void shouldHandUpPacketsOfStrangers() {
    assertMatch(syn(A, NONCE), null);
    assertMatch(syn(A, NONE), null);
    assertMatch(icmp(A, NONE), null);
    assertMatch(icmp(A, NONCE), null);
    assertThat(ilcc.size()).isZero();
  }

  @Test
  void shouldRefusePacketsForOtherNodes() {
    PacketView v = data(A, NONCE);
    v.dstNid = MN + 1;
    assertDropped(v, DropReason.IP_NOT_FOR_US);
  }

  @Test
  void shouldAcceptErrorsOfRoutersWithoutNonce() {
    provenCn();
    assertMatch(packet(C, 0x99, NONE, Ip6.PROTO_ICMP6, "02 00 0000 00000500"), null);
  }

  // --- one nonce per direction, proof

  @Test
  void shouldNotTakeItsOwnNonceForTheOtherSides() {
    Correspondent c = provenCn();
    assertThat(c.nonceOut().length()).isEqualTo(12);
    PacketView v = data(A, NONCE);
    v.nonceLength = 12;
    v.nonceHigh = c.nonceOut().high();
    v.nonceLow = c.nonceOut().low();
    assertDropped(v, DropReason.NONCE_WRONG);
  }

  @Test
  void shouldKeepTheFirstProof() {
    Correspondent c = provenCn();
    data(A, OTHER_NONCE);
    c.proveBy(view);
    assertMatch(data(A, NONCE), c);
  }

  @Test
  void shouldNotBelieveFirstNonceBeforeUpperLayerHasProof() {
    Correspondent c = ilcc.open(now, CN, List.of(A), SECOND);
    assertMatch(tcp(A, CN, NONCE, TcpHeader.SYN | TcpHeader.ACK), c);
    assertThat(c.isProven()).isFalse();
    assertMatch(tcp(A, CN, OTHER_NONCE, TcpHeader.SYN | TcpHeader.ACK), c);
    assertThat(c.isProven()).isFalse();
  }

  @Test
  void shouldLetAnswerComeFromRewrittenLocator() {
    Correspondent c = ilcc.open(now, CN, List.of(A), SECOND);
    assertMatch(tcp(B, CN, NONCE, TcpHeader.SYN | TcpHeader.ACK), c);
    // A session opened from elsewhere is another node's.
    assertMatch(syn(B, NONCE), null);
    c.proveBy(tcp(B, CN, NONCE, TcpHeader.SYN | TcpHeader.ACK));
    assertMatch(data(B, NONCE), c);
    assertThat(c.path().remoteL64()).isEqualTo(B);
  }

  @Test
  void shouldAcceptParameterProblemOfUnprovenCorrespondentWithoutNonce() {
    Correspondent c = ilcc.open(now, CN, List.of(A), SECOND);
    assertMatch(packet(A, CN, NONE, Ip6.PROTO_ICMP6, "04 02 0000 0000002a"), c);
  }

  // --- two nodes with one NID (I1, I2)

  @Test
  void shouldKeepPeersWithEqualNidApartByNonce() {
    ilcc.admit(now, syn(A, NONCE));
    Correspondent first = ilcc.openFrom(now, view);
    assertMatch(syn(A, OTHER_NONCE), null);
    Correspondent second = ilcc.openFrom(now, view);
    assertThat(second).isNotSameAs(first);
    assertThat(second.nonceOut()).isNotEqualTo(first.nonceOut());
    assertThat(ilcc.size()).isEqualTo(2);
    assertMatch(data(A, NONCE), first);
    assertMatch(data(A, OTHER_NONCE), second);
    // From anywhere: the first moves to where the second is not.
    assertMatch(data(B, NONCE), first);
    assertMatch(data(C, OTHER_NONCE), second);
    assertThat(first.path().remoteL64()).isEqualTo(B);
    assertThat(second.path().remoteL64()).isEqualTo(C);
  }

  @Test
  void shouldKeepPeersWithEqualNidApartByLocator() {
    ilcc.admit(now, syn(A, NONCE));
    Correspondent first = ilcc.openFrom(now, view);
    ilcc.admit(now, syn(B, OTHER_NONCE));
    Correspondent second = ilcc.openFrom(now, view);
    assertMatch(data(A, NONE), first);
    assertMatch(data(B, NONE), second);
    assertDropped(data(C, NONE), DropReason.NONCE_MISSING_UNKNOWN_LOCATOR);
    assertThat(ilcc.nextMatch(second, data(B, NONE))).isNull();
  }

  @Test
  void shouldOfferAllPeersAtOneLocatorWhenThereIsNoNonce() {
    ilcc.admit(now, syn(A, NONCE));
    Correspondent first = ilcc.openFrom(now, view);
    ilcc.admit(now, syn(A, OTHER_NONCE));
    Correspondent second = ilcc.openFrom(now, view);
    ilcc.admit(now, data(A, NONE));
    Correspondent one = ilcc.match();
    Correspondent other = ilcc.nextMatch(one, view);
    assertThat(List.of(one, other)).containsExactlyInAnyOrder(first, second);
    assertThat(ilcc.nextMatch(other, view)).isNull();
  }

  @Test
  void shouldOfferOnlyUnprovenPeersToNonceNobodyKnows() {
    Correspondent one = ilcc.openFresh(now, CN, List.of(A), SECOND);
    Correspondent proven = provenCn();
    Correspondent other = ilcc.openFresh(now, CN, List.of(A), SECOND);
    PacketView synAck = tcp(A, CN, OTHER_NONCE, TcpHeader.SYN | TcpHeader.ACK);
    assertThat(ilcc.admit(now, synAck)).isNull();
    Correspondent first = ilcc.match();
    Correspondent second = ilcc.nextMatch(first, synAck);
    assertThat(List.of(first, second)).containsExactlyInAnyOrder(one, other);
    assertThat(ilcc.nextMatch(second, synAck)).isNull();
    // A known nonce names its entry and no other.
    assertMatch(data(A, NONCE), proven);
    assertThat(ilcc.nextMatch(proven, view)).isNull();
  }

  @Test
  void shouldKeepClassicAndIlnpPeersWithEqualNidApart() {
    Correspondent ilnp = provenCn();
    Correspondent classic = ilcc.openClassic(now, HOME, CN, B);
    assertThat(ilcc.openClassic(now, HOME, CN, B)).isSameAs(classic);
    assertMatch(data(B, NONE), classic);
    assertMatch(icmp(B, NONE), classic);
    assertMatch(data(A, NONE), ilnp);
    assertMatch(data(A, NONCE), ilnp);
    assertThat(classic.nonceOut()).isNull();
    classic.proveBy(data(B, NONCE));
    assertThat(classic.isProven()).as("classic for life").isFalse();
    // Its addresses are fixed: another destination Locator is another session.
    PacketView v = data(B, NONE);
    v.dstL64 = C;
    assertDropped(v, DropReason.NONCE_MISSING_UNKNOWN_LOCATOR);
  }

  @Test
  void shouldFindWhatAnErrorQuotes() {
    Correspondent c = provenCn();
    PacketView quoted = new PacketView();
    quoted.srcNid = MN;
    quoted.dstNid = CN;
    quoted.srcL64 = HOME;
    quoted.dstL64 = A;
    assertThat(ilcc.findQuoted(quoted)).as("without our nonce").isNull();
    quoted.nonceLength = 12;
    quoted.nonceHigh = c.nonceOut().high();
    quoted.nonceLow = c.nonceOut().low() ^ 1;
    assertThat(ilcc.findQuoted(quoted)).as("with another").isNull();
    quoted.nonceLow = c.nonceOut().low();
    assertThat(ilcc.findQuoted(quoted)).isSameAs(c);
    quoted.srcNid = MN + 1;
    assertThat(ilcc.findQuoted(quoted)).as("not our NID").isNull();

    Correspondent classic = ilcc.openClassic(now, HOME, CN, B);
    quoted.srcNid = MN;
    quoted.nonceLength = 0;
    assertThat(ilcc.findQuoted(quoted)).isNull();
    quoted.dstL64 = B;
    assertThat(ilcc.findQuoted(quoted)).isSameAs(classic);
  }

  // --- learning and ageing

  @Test
  void shouldNotTurnBackToReplacedLocatorByLatePackets() {
    Correspondent c = provenCn();
    update(c, B, 10, 300);
    assertThat(states(c)).isEqualTo("B VALID, A AGED");
    assertThat(c.path()).isEqualTo(new LocatorPair(HOME, B));
    changes.clear();
    now += Correspondent.NO_RELEARN_NANOS - 1;
    assertMatch(data(A, NONCE), c); // accepted, but it changes nothing
    assertThat(states(c)).isEqualTo("B VALID, A AGED");
    assertDropped(data(A, NONE), DropReason.NONCE_MISSING_UNKNOWN_LOCATOR);
    assertThat(changes).isEmpty();
    now += 1;
    assertMatch(data(A, NONCE), c);
    assertThat(states(c)).isEqualTo("B VALID, A VALID learned");
    assertThat(c.path().remoteL64()).isEqualTo(A);
  }

  @Test
  void shouldReturnToReplacedLocatorAtOnceWhenAnUpdateNamesIt() {
    Correspondent c = provenCn();
    update(c, B, 10, 300);
    update(c, A, 10, 300);
    assertThat(states(c)).isEqualTo("A VALID, B AGED");
    assertThat(c.path().remoteL64()).isEqualTo(A);
  }

  @Test
  void shouldKeepLearnedLocatorAliveByPackets() {
    Correspondent c = provenCn();
    assertMatch(data(B, NONCE), c);
    for (int i = 0; i < 30; i++) {
      now += SECOND;
      ilcc.expire(now);
      assertMatch(data(B, NONCE), c);
    }
    assertThat(states(c)).isEqualTo("A VALID, B VALID learned");
    assertThat(c.path().remoteL64()).isEqualTo(B);
  }

  @Test
  void shouldAgeLearnedLocatorThatNothingConfirms() {
    Correspondent c = provenCn();
    assertMatch(data(B, NONCE), c);
    now += Correspondent.LEARNED_NANOS;
    changes.clear();
    ilcc.expire(now);
    assertThat(states(c)).isEqualTo("A VALID, B AGED");
    assertThat(c.path().remoteL64()).isEqualTo(A);
    assertThat(changes).hasSize(1);
    // No update replaced it: it comes back with the first packet.
    assertMatch(data(B, NONCE), c);
    assertThat(states(c)).isEqualTo("A VALID, B VALID learned");
  }

  @Test
  void shouldKeepUsingExpiredLocatorWhileThereIsNoBetter() {
    ilcc.admit(now, syn(A, NONCE));
    Correspondent c = ilcc.openFrom(now, view);
    c.retain();
    assertMatch(data(B, NONCE), c);
    update(c, B, 10, 5);
    now += 3600 * SECOND;
    ilcc.expire(now);
    ilcc.localChanged(now);
    assertThat(c.path()).isEqualTo(new LocatorPair(HOME, B));
    assertMatch(data(B, NONE), c);
  }

  @Test
  void shouldKeepTheLaterOfTwoLearnedLocators() {
    ilcc.admit(now, syn(A, NONCE));
    Correspondent c = ilcc.openFrom(now, view);
    c.retain();
    update(c, A, 10, 0); // a set that names nothing
    assertThat(c.path()).isNull();
    now += 5 * SECOND;
    assertMatch(data(B, NONCE), c);
    now += SECOND;
    assertMatch(data(C, NONCE), c);
    now += SECOND;
    assertMatch(data(B, NONCE), c);
    now += 60 * SECOND;
    ilcc.expire(now);
    assertThat(c.path().remoteL64()).isEqualTo(B);
    assertThat(states(c)).isEqualTo("B VALID learned, C AGED");
  }

  @Test
  void shouldForgetAgedLocators() {
    Correspondent c = provenCn();
    update(c, B, 10, 300);
    now += Correspondent.AGED_NANOS - 1;
    ilcc.expire(now);
    assertThat(states(c)).isEqualTo("B VALID, A AGED");
    now += 1;
    ilcc.expire(now);
    assertThat(states(c)).isEqualTo("B VALID");
  }

  @Test
  void shouldNotLearnWhatCannotBeRouted() {
    Correspondent c = provenCn();
    assertMatch(data(0xfe80_0000_0000_0000L, NONCE), c);
    assertThat(states(c)).isEqualTo("A VALID");
  }

  @Test
  void shouldLimitLearnedLocators() {
    Correspondent c = provenCn();
    for (int i = 0; i < 100; i++) {
      assertMatch(data(0x2001_0000_0000_0000L + i, NONCE), c);
      assertThat(c.remoteLocators()).hasSizeLessThanOrEqualTo(Correspondent.MAX_LOCATORS);
    }
    // Aged ones make room.
    update(c, B, 10, 300);
    assertMatch(data(C, NONCE), c);
    assertThat(c.path().remoteL64()).isEqualTo(C);
    assertThat(c.remoteLocators()).hasSizeLessThanOrEqualTo(Correspondent.MAX_LOCATORS);
  }

  // --- Locator Updates

  @Test
  void shouldReplaceTheWholeSet() {
    Correspondent c = provenCn();
    assertMatch(data(C, NONCE), c);
    update(c, B, 20, 300, A, 10, 300);
    assertThat(states(c)).isEqualTo("A VALID, B VALID, C AGED");
    assertThat(c.path().remoteL64()).isEqualTo(A);
    assertMatch(data(B, NONE), c);
    assertDropped(data(C, NONE), DropReason.NONCE_MISSING_UNKNOWN_LOCATOR);
  }

  @Test
  void shouldPreferEarlierListedOnTies() {
    Correspondent c = provenCn();
    update(c, B, 10, 300, A, 10, 300);
    assertThat(c.path().remoteL64()).isEqualTo(B);
    update(c, A, 10, 300, B, 10, 300);
    assertThat(c.path().remoteL64()).isEqualTo(A);
  }

  @Test
  void shouldConfirmLearnedLocator() {
    Correspondent c = provenCn();
    assertMatch(data(B, NONCE), c);
    update(c, B, 10, 300);
    assertThat(states(c)).isEqualTo("B VALID, A AGED");
    RemoteLocator b = c.remoteLocator(B);
    assertThat(b.heardNanos()).as("remembered from before").isEqualTo(now);
    assertThat(b.expiresNanos()).isEqualTo(now + 300 * SECOND);
    assertThat(b.preference()).isEqualTo(10);
  }

  @Test
  void shouldTakeLifetimeZeroForGone() {
    Correspondent c = provenCn();
    update(c, A, 10, 0, B, 20, 300);
    assertThat(states(c)).isEqualTo("B VALID, A AGED");
  }

  @Test
  void shouldIgnoreRepeatedAndUnroutableEntries() {
    Correspondent c = provenCn();
    update(
        c,
        0xff0e_0000_0000_0000L,
        1,
        300,
        0xfe80_0000_0000_0000L,
        1,
        300,
        0L,
        1,
        300,
        B,
        10,
        300,
        B,
        5,
        400);
    assertThat(states(c)).isEqualTo("B VALID, A AGED");
    assertThat(c.remoteLocator(B).preference()).isEqualTo(10);
  }

  @Test
  void shouldKeepTheMostPreferredOfVeryMany() {
    Correspondent c = provenCn();
    int n = 255;
    long[] l64 = new long[n];
    int[] preference = new int[n];
    int[] lifetime = new int[n];
    for (int i = 0; i < n; i++) {
      l64[i] = 0x2001_0000_0000_0000L + i;
      preference[i] = 1000 - i; // the best are listed last
      lifetime[i] = 300;
    }
    ilcc.replaceLocators(now, c, n, l64, preference, lifetime);
    assertThat(c.remoteLocators()).hasSize(Correspondent.MAX_LOCATORS);
    for (int i = 0; i < Correspondent.MAX_LOCATORS; i++) {
      assertThat(c.remoteLocators().get(i).l64).isEqualTo(l64[n - 1 - i]);
    }
    assertThat(c.path().remoteL64()).isEqualTo(l64[n - 1]);
  }

  @Test
  void shouldBeIdempotent() {
    Correspondent c = provenCn();
    update(c, B, 10, 300, A, 20, 12);
    String before = states(c);
    LocatorPair path = c.path();
    update(c, B, 10, 300, A, 20, 12);
    assertThat(states(c)).isEqualTo(before);
    assertThat(c.path()).isSameAs(path);
  }

  // --- local Locators

  @Test
  void shouldFollowLocalLocators() {
    Correspondent c = provenCn();
    LocalLocator home = ilcc.local().get(HOME);
    LocalLocator other = local(B, LocalLocator.State.VALID);
    ilcc.local().add(other);
    ilcc.localChanged(now);
    assertThat(c.path()).isEqualTo(new LocatorPair(HOME, A));
    home.leave(now);
    other.state(LocalLocator.State.ACTIVE);
    ilcc.localChanged(now);
    assertThat(c.path()).isEqualTo(new LocatorPair(B, A));
    ilcc.local().remove(other);
    ilcc.localChanged(now);
    assertThat(c.path())
        .as("being left is better than nothing")
        .isEqualTo(new LocatorPair(HOME, A));
    assertThat(ilcc.isUsable(c, new LocatorPair(HOME, A))).isTrue();
    ilcc.local().remove(home);
    ilcc.localChanged(now);
    assertThat(c.path()).isNull();
    assertThat(ilcc.isUsable(c, new LocatorPair(HOME, A))).isFalse();
  }

  // --- opening

  @Test
  void shouldShareProvenEntryHeardOfLately() {
    Correspondent c = provenCn();
    assertThat(ilcc.open(now, CN, List.of(A), SECOND)).isSameAs(c);
    assertMatch(data(A, NONCE), c);
    c.release(now);
    now += Ilcc.REUSE_NANOS - 1;
    assertThat(ilcc.open(now, CN, List.of(A), SECOND)).isSameAs(c);
    now += 1;
    assertThat(ilcc.open(now, CN, List.of(A), SECOND)).isNotSameAs(c);
  }

  @Test
  void shouldShareEntryInUseHoweverLongSilent() {
    Correspondent c = provenCn();
    now += 3600 * SECOND;
    assertThat(ilcc.open(now, CN, List.of(A), SECOND)).isSameAs(c);
  }

  @Test
  void shouldShareEntryWhoseHandshakeIsUnderWay() {
    Correspondent c = ilcc.open(now, CN, List.of(A, B), SECOND);
    c.retain();
    assertThat(ilcc.open(now, CN, List.of(B), SECOND)).isSameAs(c);
    c.release(now);
    assertThat(ilcc.open(now, CN, List.of(A), SECOND)).as("it failed").isNotSameAs(c);
  }

  @Test
  void shouldNotShareEntryOfAnotherNodeWithTheSameNid() {
    Correspondent c = provenCn();
    Correspondent other = ilcc.open(now, CN, List.of(B), SECOND);
    assertThat(other).isNotSameAs(c);
    assertThat(other.path().remoteL64()).isEqualTo(B);
  }

  @Test
  void shouldShareEntryOfNodeThatMovedAway() {
    Correspondent c = provenCn();
    update(c, B, 10, 300);
    now += 3600 * SECOND;
    ilcc.expire(now);
    assertThat(states(c)).isEqualTo("B VALID");
    // The name still says A.
    assertThat(ilcc.open(now, CN, List.of(A), SECOND)).isSameAs(c);
    assertThat(ilcc.open(now, CN, List.of(B), SECOND)).isSameAs(c);
  }

  @Test
  void shouldNeverShareWhenAskedForFreshEntryOrClassicOne() {
    Correspondent c = provenCn();
    assertThat(ilcc.openFresh(now, CN, List.of(A), SECOND)).isNotSameAs(c);
    Correspondent classic = ilcc.openClassic(now, HOME, CN, A);
    classic.retain();
    assertThat(ilcc.open(now, CN, List.of(A), SECOND)).isNotSameAs(classic);
  }

  @Test
  void shouldPreferLocatorsInTheOrderGiven() {
    Correspondent c = ilcc.open(now, CN, List.of(B, A), SECOND);
    assertThat(c.path().remoteL64()).isEqualTo(B);
    // Their lifetimes are over: still used, for there is nothing else.
    now += 10 * SECOND;
    ilcc.localChanged(now);
    assertThat(c.path().remoteL64()).isEqualTo(B);
  }

  @Test
  void shouldAnswerWithAsManyNonceOctetsAsThePeerUses() {
    ilcc.admit(now, syn(A, NONCE));
    assertThat(ilcc.openFrom(now, view).nonceOut().length()).isEqualTo(4);
    assertThat(ilcc.openFrom(now, syn(A, NONE)).mode).isEqualTo(SessionMode.CLASSIC);
  }

  // --- expiry and limits

  @Test
  void shouldForgetTentativeEntrySoon() {
    ilcc.openFrom(now, syn(A, NONCE));
    ilcc.openFresh(now, CN, List.of(A), 3600 * SECOND);
    ilcc.openFrom(now, syn(B, NONE));
    assertThat(ilcc.size()).isEqualTo(3);
    now += Ilcc.TENTATIVE_NANOS - 1;
    ilcc.expire(now);
    assertThat(ilcc.size()).isEqualTo(3);
    now += 1;
    ilcc.expire(now);
    assertThat(ilcc.size()).isZero();
  }

  @Test
  void shouldForgetUsedEntryAfterTwiceTheSegmentLifetime() {
    Correspondent c = provenCn();
    now += 3600 * SECOND;
    ilcc.expire(now);
    assertThat(ilcc.size()).as("in use").isEqualTo(1);
    c.release(now);
    now += Ilcc.IDLE_NANOS - 1;
    ilcc.expire(now);
    assertThat(ilcc.size()).isEqualTo(1);
    assertMatch(data(A, NONCE), c); // late packets keep it
    now += 1;
    ilcc.expire(now);
    assertThat(ilcc.size()).isEqualTo(1);
    now += Ilcc.IDLE_NANOS;
    ilcc.expire(now);
    assertThat(ilcc.size()).isZero();
    assertMatch(data(A, NONCE), null);
  }

  @Test
  void shouldRemoveEntriesFromAnywhereInTheChain() {
    for (int remove = 0; remove < 4; remove++) {
      List<Correspondent> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Correspondent c = ilcc.openFresh(now, CN, List.of(A), SECOND);
        c.retain();
        all.add(c);
      }
      Correspondent gone = all.remove(remove);
      gone.release(now);
      ilcc.clearUnused();
      assertThat(ilcc.size()).isEqualTo(3);
      assertThat(ilcc.all()).containsExactlyInAnyOrderElementsOf(all);
      all.forEach(c -> c.release(now));
      ilcc.clearUnused();
      assertThat(ilcc.size()).isZero();
      assertThat(ilcc.all()).isEmpty();
    }
  }

  @Test
  void shouldRefuseEntriesBeyondItsLimit() {
    for (int i = 0; i < 8; i++) {
      ilcc.openFresh(now, CN + i, List.of(A), SECOND).retain();
    }
    assertThat(ilcc.openFresh(now, 99, List.of(A), SECOND)).isNull();
    assertThat(ilcc.open(now, 99, List.of(A), SECOND)).isNull();
    assertThat(ilcc.openFrom(now, syn(B, NONCE))).isNull();
    assertThat(ilcc.openClassic(now, HOME, 99, A)).isNull();
    assertThat(counters.get(DropReason.CORRESPONDENT_TABLE_FULL)).isEqualTo(4);
    assertThat(ilcc.size()).isEqualTo(8);
  }

  @Test
  void shouldMakeRoomFromEntriesNobodyUses() {
    Correspondent used = provenCn();
    for (int i = 0; i < 7; i++) {
      ilcc.openFrom(now, tcp(A, 100 + i, NONCE, TcpHeader.SYN));
    }
    assertThat(ilcc.openFrom(now, syn(B, OTHER_NONCE))).as("they are too new to go").isNull();
    now += Ilcc.EVICT_NANOS;
    assertThat(ilcc.openFrom(now, syn(B, OTHER_NONCE))).isNotNull();
    assertThat(ilcc.size()).isEqualTo(2);
    assertThat(ilcc.all()).contains(used);
  }

  @Test
  void shouldNoticeUnbalancedRelease() {
    Correspondent c = provenCn();
    c.release(now);
    assertThatThrownBy(() -> c.release(now)).hasMessageContaining("too often");
  }
}
