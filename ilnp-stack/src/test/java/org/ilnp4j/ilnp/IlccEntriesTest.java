package org.ilnp4j.ilnp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.TcpHeader;
import org.junit.jupiter.api.Test;

/** When entries are shared, made and forgotten. */
class IlccEntriesTest extends IlccTestBase {
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
