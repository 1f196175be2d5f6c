package org.ilnp4j.mobility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.LocalLocator;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.testing.BufferLeaks;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.Checksum;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.RouterAdvertisement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MobilityTest {
  private static final long MN = 0x0214_4fff_feab_cd01L;
  private static final long CN = 0x0214_4fff_feab_cd02L;
  private static final long L1 = 0x2001_0db8_0001_0001L;
  private static final long L2 = 0x2001_0db8_0002_0002L;
  private static final long LC = 0x2001_0db8_000c_000cL;

  @RegisterExtension final BufferLeaks buffers = new BufferLeaks();
  private MobileNode mn;
  private MobileNode cn;
  private Correspondent toCn;
  private Correspondent toMn;

  private void nodes(HandoffPolicy policy, boolean hard) {
    mn = new MobileNode(MN, policy, hard, buffers.allocator(), "w1", "w2");
    cn = new MobileNode(CN, HandoffPolicy.MANUAL, false, buffers.allocator(), "e0");
    mn.link("w1", true);
    mn.hears("w1", L1);
    cn.link("e0", true);
    cn.hears("e0", LC);
    handshake();
    mn.log.clear();
  }

  /** Both sides hold a session and know the other's nonce, as after a TCP handshake. */
  private void handshake() {
    toCn = mn.ilcc.open(mn.now, CN, List.of(LC), NanoClock.seconds(60));
    toCn.retain();
    PacketView v = new PacketView();
    v.srcNid = MN;
    v.srcL64 = L1;
    v.dstNid = CN;
    v.dstL64 = LC;
    v.nonceLength = toCn.nonceOut().length();
    v.nonceHigh = toCn.nonceOut().high();
    v.nonceLow = toCn.nonceOut().low();
    toMn = cn.ilcc.openFrom(cn.now, v);
    toMn.retain();
    v.nonceHigh = toMn.nonceOut().high();
    v.nonceLow = toMn.nonceOut().low();
    toCn.proveBy(v);
  }

  private void at(long millis) {
    mn.until(NanoClock.millis(millis));
    cn.until(NanoClock.millis(millis));
  }

  private void exchange() {
    cn.receiveAll(mn);
    mn.receiveAll(cn);
  }

  @AfterEach
  void shouldLeaveNothingBehind() {
    for (MobileNode n : new MobileNode[] {mn, cn}) {
      n.close();
      assertThat(n.timers.armed()).isZero();
    }
  }

  @Test
  void shouldMoveSoftlyWhenBetterLinkAdvertises() {
    nodes(HandoffPolicy.FIRST_RA, false);
    mn.link("w2", true);
    mn.hears("w2", L2);
    assertThat(mn.log).containsExactly("solicit w2", "SOFT w1>w2");
    assertThat(mn.sent).hasSize(1);
    exchange();
    assertThat(toMn.path()).isEqualTo(new LocatorPair(LC, L2));
    assertThat(cn.ilcc.isUsable(toMn, new LocatorPair(LC, L1))).isTrue();
    assertThat(mn.log).endsWith("acked 0");
    assertThat(mn.updates.outstanding()).isZero();
  }

  @Test
  void shouldTellOneUpdatePerCorrespondentHoweverManySessions() {
    nodes(HandoffPolicy.FIRST_RA, false);
    for (int i = 0; i < 50; i++) {
      toCn.retain();
    }
    mn.link("w2", true);
    mn.hears("w2", L2);
    assertThat(mn.sent).hasSize(1);
  }

  @Test
  void shouldMoveHardWhenTheOnlyLinkIsReplaced() {
    nodes(HandoffPolicy.PREFERENCE, false);
    mn.link("w1", false);
    assertThat(mn.log).containsExactly("removed w1: link down", "LOST w1>null");
    assertThat(mn.sent).isEmpty();
    assertThat(toCn.path()).isNull();
    at(500);
    mn.link("w2", true);
    mn.hears("w2", L2);
    assertThat(mn.log).endsWith("solicit w2", "HARD w1>w2");
    exchange();
    assertThat(toMn.path()).isEqualTo(new LocatorPair(LC, L2));
    assertThat(cn.ilcc.isUsable(toMn, new LocatorPair(LC, L1))).isFalse();
  }

  @Test
  void shouldKeepOneUpdateOutstandingAndRetransmitTheNewestSet() {
    nodes(HandoffPolicy.FIRST_RA, false);
    mn.link("w2", true);
    mn.hears("w2", L2);
    mn.loseAll();
    mn.link("w1", false);
    mn.loseAll();
    assertThat(mn.updates.outstanding()).isEqualTo(1);
    at(199);
    assertThat(mn.sent).isEmpty();
    at(200);
    assertThat(mn.sent).hasSize(1);
    exchange();
    assertThat(toMn.path()).isEqualTo(new LocatorPair(LC, L2));
    assertThat(cn.ilcc.isUsable(toMn, new LocatorPair(LC, L1))).isFalse();
    assertThat(mn.counters.get(Counter.LU_RETRANSMITTED)).isEqualTo(1);
    assertThat(mn.log).endsWith("acked -1");
  }

  @Test
  void shouldGiveUpAfterEightUpdates() {
    nodes(HandoffPolicy.FIRST_RA, false);
    mn.link("w2", true);
    mn.hears("w2", L2);
    for (int s = 1; s <= 29; s++) {
      at(s * 1000L);
      mn.hears("w1", L1);
      mn.hears("w2", L2);
      mn.loseAll();
    }
    assertThat(mn.counters.get(Counter.LU_SENT)).isEqualTo(8);
    assertThat(mn.log).contains("given up");
  }

  @Test
  void shouldAcknowledgeDuplicateUpdateAgain() {
    nodes(HandoffPolicy.FIRST_RA, false);
    mn.link("w2", true);
    mn.hears("w2", L2);
    ByteBuf copy = mn.sent.peek().copy();
    exchange();
    assertThat(cn.receive(copy)).isNull();
    assertThat(cn.counters.get(Counter.LU_ACK_SENT)).isEqualTo(2);
    assertThat(toMn.path()).isEqualTo(new LocatorPair(LC, L2));
    cn.loseAll();
  }

  @Test
  void shouldIgnoreLateCopyOfReplacedUpdate() {
    nodes(HandoffPolicy.FIRST_RA, false);
    mn.link("w2", true);
    mn.hears("w2", L2);
    ByteBuf late = mn.sent.peek().copy();
    exchange();
    mn.link("w1", false);
    exchange();
    at(100);
    assertThat(cn.receive(late)).isEqualTo(DropReason.LU_REPLAYED_SET);
    assertThat(cn.ilcc.isUsable(toMn, new LocatorPair(LC, L1))).isFalse();
  }

  @Test
  void shouldAcceptReturnToPlaceLeftAMomentAgo() {
    nodes(HandoffPolicy.MANUAL, false);
    mn.link("w2", true);
    mn.hears("w2", L2);
    exchange();
    for (int i = 1; i <= 70; i++) {
      at(i * 100L);
      mn.hears("w1", L1);
      mn.hears("w2", L2);
      boolean toFirst = i % 2 == 0;
      mn.set.requestHandoff(mn.now, true, toFirst ? "w1" : "w2");
      exchange();
      assertThat(toMn.path()).isEqualTo(new LocatorPair(LC, toFirst ? L1 : L2));
    }
    assertThat(cn.counters.get(DropReason.LU_REPLAYED_SET)).isZero();
    assertThat(mn.counters.get(Counter.LU_RETRANSMITTED)).isZero();
  }

  @Test
  void shouldHearOnlySoManyUpdatesOfOneCorrespondent() {
    nodes(HandoffPolicy.FIRST_RA, false);
    mn.link("w2", true);
    mn.hears("w2", L2);
    ByteBuf update = mn.sent.peek().copy();
    for (int i = 0; i < 1000; i++) {
      DropReason drop = cn.receive(update.copy());
      assertThat(drop).isEqualTo(i < 50 ? null : DropReason.LU_RATE_LIMITED);
    }
    assertThat(cn.sent).as("acknowledgements").hasSize(50);
    cn.loseAll();
    at(1000);
    assertThat(cn.receive(update)).isNull();
  }

  @Test
  void shouldRefuseUpdateWithWrongNonce() {
    nodes(HandoffPolicy.FIRST_RA, false);
    mn.link("w2", true);
    mn.hears("w2", L2);
    ByteBuf forged = mn.sent.poll();
    forged.setByte(44, forged.getByte(44) ^ 1);
    assertThat(cn.receive(forged)).isEqualTo(DropReason.NONCE_WRONG);
    assertThat(cn.sent).isEmpty();
    assertThat(toMn.path()).isEqualTo(new LocatorPair(LC, L1));
  }

  @Test
  void shouldBarOldLinkAfterForcedHardHandoffUntilNothingElseIsLeft() {
    nodes(HandoffPolicy.MANUAL, false);
    mn.link("w2", true);
    mn.hears("w2", L2);
    mn.log.clear();
    mn.set.requestHandoff(mn.now, true, "w2");
    assertThat(mn.log).containsExactly("removed w1: left by hard handoff", "HARD w1>w2");
    mn.hears("w1", L1);
    assertThat(mn.ilcc.local().all()).hasSize(1);
    mn.link("w2", false);
    assertThat(mn.log).endsWith("removed w2: link down", "HARD w2>w1");
    exchange();
    assertThat(toMn.path()).isEqualTo(new LocatorPair(LC, L1));
  }

  @Test
  void shouldMoveSoftlyOnRequestAndSayWhatIsWrongOtherwise() {
    nodes(HandoffPolicy.MANUAL, false);
    assertThatThrownBy(() -> mn.set.requestHandoff(mn.now, false, "w9"))
        .hasMessage("unknown link \"w9\"; the uplinks are w1, w2");
    assertThatThrownBy(() -> mn.set.requestHandoff(mn.now, false, "w1"))
        .hasMessage("already on link \"w1\"");
    assertThatThrownBy(() -> mn.set.requestHandoff(mn.now, false, "w2"))
        .hasMessageContaining("it is down or no router advertises on it");
    assertThatThrownBy(() -> mn.set.requestHandoff(mn.now, false, null))
        .hasMessage("no other link has a Locator to move to");
    mn.link("w2", true);
    mn.hears("w2", L2);
    mn.set.requestHandoff(mn.now, false, null);
    assertThat(mn.log).endsWith("SOFT w1>w2");
    assertThat(mn.ilcc.local().all()).hasSize(2);
  }

  @Test
  void shouldLeaveSilentLinkOnlyWhenThereIsAnother() {
    nodes(HandoffPolicy.PREFERENCE, false);
    at(30_000);
    // Nothing advertised since, but there is nothing better: lifetime counts.
    assertThat(mn.ilcc.local().source().l64).isEqualTo(L1);
    mn.hears("w1", L1);
    mn.link("w2", true);
    mn.hears("w2", L2);
    assertThat(mn.ilcc.local().source().l64).isEqualTo(L1);
    for (int s = 34; s <= 42; s += 4) {
      at(s * 1000L);
      mn.hears("w2", L2);
    }
    assertThat(mn.ilcc.local().get(L1).state()).isEqualTo(LocalLocator.State.LEAVING);
    assertThat(mn.log).endsWith("SOFT w1>w2");
    mn.set.onReceived(NanoClock.millis(44_000), L1);
    at(46_900);
    assertThat(mn.ilcc.local().get(L1)).isNotNull();
    at(47_000);
    assertThat(mn.ilcc.local().get(L1)).isNull();
    assertThat(mn.log).endsWith("removed w1: no router advertisement and nothing received");
    mn.loseAll();
  }

  @Test
  void shouldTakeLocatorBackWhenItsRouterIsHeardAgain() {
    nodes(HandoffPolicy.PREFERENCE, false);
    mn.link("w2", true);
    mn.hears("w2", L2);
    for (int s = 4; s <= 12; s += 4) {
      at(s * 1000L);
      mn.hears("w2", L2);
    }
    assertThat(mn.ilcc.local().source().l64).isEqualTo(L2);
    mn.hears("w1", L1);
    assertThat(mn.ilcc.local().source().l64).isEqualTo(L1);
    mn.loseAll();
  }

  @Test
  void shouldDropLocatorThatItsRouterWithdraws() {
    nodes(HandoffPolicy.PREFERENCE, false);
    mn.link("w2", true);
    mn.hears("w2", L2);
    mn.hears("w1", RouterAdvertisement.ofLocator(L1, 0, 12, 4000));
    assertThat(mn.log).endsWith("removed w1: router withdrew it", "HARD w1>w2");
  }

  @Test
  void shouldSolicitUntilRouterAnswers() {
    nodes(HandoffPolicy.PREFERENCE, false);
    mn.link("w2", true);
    at(250);
    at(1250);
    assertThat(mn.log).containsExactly("solicit w2", "solicit w2", "solicit w2");
    mn.hears("w2", L2);
    at(10_000);
    assertThat(mn.log.stream().filter("solicit w2"::equals)).hasSize(3);
    mn.loseAll();
  }

  @Test
  void shouldTryAgainWhenKernelRefusesLocator() {
    nodes(HandoffPolicy.FIRST_RA, false);
    mn.installWorks = false;
    mn.link("w2", true);
    mn.hears("w2", L2);
    assertThat(mn.ilcc.local().get(L2)).isNull();
    mn.installWorks = true;
    at(50);
    assertThat(mn.ilcc.local().source().l64).isEqualTo(L2);
    mn.loseAll();
  }

  @Test
  void shouldTellSetAgainBeforeLifetimesEnd() {
    nodes(HandoffPolicy.FIRST_RA, false);
    mn.link("w2", true);
    mn.hears("w2", L2);
    exchange();
    for (int s = 2; s <= 40; s += 2) {
      at(s * 1000L);
      mn.hears("w1", L1);
      mn.hears("w2", L2);
      exchange();
    }
    assertThat(mn.counters.get(Counter.LU_SENT)).isEqualTo(2);
    assertThat(mn.counters.get(Counter.LU_ACK_RECEIVED)).isEqualTo(2);
  }

  @Test
  void shouldFindEachOtherWhenBothMoveHardAtOnce() {
    nodes(HandoffPolicy.PREFERENCE, false);
    mn.link("w1", false);
    cn.link("e0", false);
    at(100);
    mn.link("w2", true);
    mn.hears("w2", L2);
    cn.link("e0", true);
    cn.hears("e0", 0x2001_0db8_000d_000dL);
    // Both updates go to Locators where nobody is any more.
    mn.loseAll();
    cn.loseAll();
    // Whoever is found again by any packet with the right nonce is answered there.
    at(300);
    mn.loseAll();
    ByteBuf found = cn.sent.poll();
    found.setLong(24, L2);
    found.setShort(58, checksumFor(found));
    assertThat(mn.receive(found)).isNull();
    exchange();
    at(1000);
    exchange();
    assertThat(toCn.path()).isEqualTo(new LocatorPair(L2, 0x2001_0db8_000d_000dL));
    assertThat(toMn.path()).isEqualTo(new LocatorPair(0x2001_0db8_000d_000dL, L2));
  }

  /** As a name look-up would have made it: the same update, sent to where the node is now. */
  private static int checksumFor(ByteBuf packet) {
    packet.setShort(58, 0);
    PacketView v = new PacketView();
    v.parse(packet);
    return Checksum.finish(v.sumIpv6());
  }
}
