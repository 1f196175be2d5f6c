package org.ilnp4j.ilnp;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.Test;

/** How Locators are learned, replaced and aged (RFC 6741 §5.2, RFC 6743), and which is used. */
class IlccLocatorsTest extends IlccTestBase {
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
}
