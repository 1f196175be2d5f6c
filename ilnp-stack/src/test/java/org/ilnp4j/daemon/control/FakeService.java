package org.ilnp4j.daemon.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.ilnp4j.daemon.config.HandoffKind;

/** A daemon that remembers what it was asked. */
public final class FakeService implements ControlService {
  public static final HandoffView HANDOFF =
      new HandoffView("soft", "wlan0", "wlan1", "2001:db8:2:0", 1, 1, 20.5, 0.0);

  public static final StatusView STATUS =
      new StatusView(
          "mobile",
          "214:4fff:feab:cd01",
          "0.1.0",
          "abc",
          42,
          3.5,
          "ilnp0",
          1500,
          "preference",
          "soft",
          List.of("socks 127.0.0.1:1080"),
          1,
          2,
          Map.of("packets-in", 7L, "drop-nonce-wrong", 1L),
          HANDOFF);

  public static final SessionView SESSION =
      new SessionView(
          40000,
          "correspondent",
          "214:4fff:feab:cd02",
          80,
          "established",
          "ilnp",
          "2001:db8:1:0",
          "2001:db8:3:0",
          "cubic",
          1424,
          20.125,
          220.0,
          1L << 33,
          14240,
          1,
          0,
          123_456_789_012L,
          5,
          3,
          4,
          1);

  public static final LocatorsView LOCATORS =
      new LocatorsView(
          List.of(
              new LocatorsView.Local("2001:db8:1:0", "wlan0", "active", 10, 29.5),
              new LocatorsView.Local("2001:db8:2:0", "wlan1", "valid", 20, null)),
          List.of(
              new LocatorsView.Peer(
                  "correspondent",
                  "214:4fff:feab:cd02",
                  "ilnp",
                  2,
                  List.of(new LocatorsView.Remote("2001:db8:3:0", "active", 10, 280.0, 0.25)))));

  public final List<String> asked = new ArrayList<>();
  public int sessions = 1;
  Reply<? super PingView> openPing;

  @Override
  public StatusView status() {
    asked.add("status");
    return STATUS;
  }

  @Override
  public List<SessionView> sessions(int limit) {
    asked.add("sessions " + limit);
    return java.util.Collections.nCopies(Math.min(limit, sessions), SESSION);
  }

  @Override
  public LocatorsView locators() {
    asked.add("locators");
    return LOCATORS;
  }

  @Override
  public void handoff(HandoffKind kind, String toLink, Reply<? super HandoffView> reply) {
    asked.add("handoff " + kind + " " + toLink);
    if ("wlan9".equals(toLink)) {
      reply.fail("there is no uplink \"wlan9\"; there are: wlan0, wlan1");
      return;
    }
    reply.item(HANDOFF);
    reply.done();
  }

  @Override
  public void ping(String name, int count, Reply<? super PingView> reply) {
    asked.add("ping " + name + " " + count);
    switch (name) {
      case "nobody" -> reply.fail("the hosts file does not know \"nobody\"");
      case "patience" -> openPing = reply;
      case "broken" -> throw new IllegalStateException("planted");
      default -> {
        for (int i = 1; i <= count; i++) {
          reply.item(
              new PingView(
                  i, "214:4fff:feab:cd02", "2001:db8:3:0", name.equals("lost") ? null : 20.0 + i));
        }
        reply.done();
      }
    }
  }

  @Override
  public void stop() {
    asked.add("stop");
  }
}
