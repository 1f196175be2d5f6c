package org.ilnp4j.ilnp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;
import org.junit.jupiter.api.Test;

/** Lookup (RFC 6741 §5.4) and validation (RFC 6744 §4, §7) of correspondents. */
class IlccTest extends IlccTestBase {
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
    for (int i = 0; i < 2; i++) {
      assertMatch(data(B, NONCE), first);
      assertMatch(data(C, OTHER_NONCE), second);
    }
    assertThat(first.path().remoteL64()).isEqualTo(B);
    assertThat(second.path().remoteL64()).isEqualTo(C);
  }

  /** No checksum covers it. */
  @Test
  void shouldNotSendToALocatorThatOneBitMadeOutOfAnother() {
    ilcc.admit(now, syn(A, NONCE));
    Correspondent c = ilcc.openFrom(now, view);
    for (int bit = 0; bit < 64; bit++) {
      assertMatch(data(A, NONCE), c);
      assertMatch(data(A ^ 1L << bit, NONCE), c);
      assertThat(c.path().remoteL64()).isEqualTo(A);
    }
    assertMatch(data(A, NONCE), c);
    assertThat(c.remoteLocators()).hasSize(1);
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
}
