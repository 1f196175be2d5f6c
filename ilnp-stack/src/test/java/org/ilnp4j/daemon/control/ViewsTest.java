package org.ilnp4j.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.Ilcc;
import org.ilnp4j.ilnp.LocalLocator;
import org.ilnp4j.ilnp.Locator;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.ilnp.Nid;
import org.ilnp4j.ilnp.SessionMode;
import org.ilnp4j.tcp.TcpInfo;
import org.ilnp4j.tcp.TcpState;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counters;
import org.junit.jupiter.api.Test;

class ViewsTest {
  private static final long NOW = NanoClock.seconds(100);
  private static final long NID = Nid.parse("214:4fff:feab:cd02");
  private static final long HERE = Locator.parse("2001:db8:1:0");
  private static final long THERE = Locator.parse("2001:db8:3:0");

  @Test
  void shouldShowASessionAsPeopleReadIt() {
    SessionView view = SessionView.of(info(new LocatorPair(HERE, THERE), 20_125_000), "cn");

    assertThat(view.state()).isEqualTo("fin-wait-1");
    assertThat(view.mode()).isEqualTo("ilnp");
    assertThat(view.remoteNid()).isEqualTo("214:4fff:feab:cd02");
    assertThat(view.localLocator()).isEqualTo("2001:db8:1:0");
    assertThat(view.remoteLocator()).isEqualTo("2001:db8:3:0");
    assertThat(view.srttMs()).isEqualTo(20.125);
  }

  @Test
  void shouldLeaveOutWhatASessionDoesNotKnowYet() {
    SessionView view = SessionView.of(info(null, -1), null);

    assertThat(view.localLocator()).isNull();
    assertThat(view.srttMs()).isNull();
    assertThat(Views.write(view)).contains("\"srtt_ms\":null", "\"remote_name\":null");
  }

  @Test
  void shouldShowLocatorsWithTheirLifetimes() {
    LocalLocator local =
        new LocalLocator(
            HERE, "wlan0", LocalLocator.State.ACTIVE, 10, NOW + NanoClock.millis(1500));
    Ilcc ilcc = new Ilcc(1, 12, 10, new Random(7), new Counters());
    ilcc.local().add(local);
    Correspondent c = ilcc.open(NOW, NID, List.of(THERE), NanoClock.seconds(-1));

    assertThat(LocatorsView.Local.of(NOW, local))
        .isEqualTo(new LocatorsView.Local("2001:db8:1:0", "wlan0", "active", 10, 1.5));
    LocatorsView.Peer peer = LocatorsView.Peer.of(NOW, "cn", c);
    assertThat(peer.nid()).isEqualTo("214:4fff:feab:cd02");
    assertThat(peer.locators())
        .singleElement()
        .satisfies(
            r -> {
              assertThat(r.locator()).isEqualTo("2001:db8:3:0");
              assertThat(r.state()).isEqualTo("active");
              assertThat(r.lifetimeS()).isEqualTo(-1.0);
              assertThat(r.heardS()).isNull();
            });
  }

  @Test
  void shouldComeBackFromJsonAsItWas() throws IOException {
    for (Record view : List.of(FakeService.STATUS, FakeService.SESSION, FakeService.LOCATORS)) {
      Map<String, Object> json = JSON.std.mapFrom(Views.write(view));

      assertThat((Object) Views.fromJson(json, view.getClass())).isEqualTo(view);
    }
  }

  @Test
  void shouldUnderstandADaemonThatSaysMoreOrLess() {
    PingView ping = Views.fromJson(Map.of("seq", 3, "colour", "red"), PingView.class);

    assertThat(ping).isEqualTo(new PingView(3, null, null, null));
    assertThatThrownBy(() -> Views.fromJson(Map.of("seq", "three"), PingView.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"seq\" is not of type int");
  }

  private static TcpInfo info(LocatorPair path, long srttNanos) {
    return new TcpInfo(
        TcpState.FIN_WAIT_1,
        SessionMode.ILNP,
        1,
        40000,
        NID,
        80,
        path,
        "cubic",
        1424,
        srttNanos,
        -1,
        NanoClock.millis(220),
        -1,
        14240,
        1 << 20,
        0,
        65535,
        65535,
        0,
        0,
        0,
        1000,
        900,
        5,
        7,
        6,
        1,
        0,
        0,
        2,
        0,
        0,
        false,
        0,
        0,
        0,
        0);
  }
}
