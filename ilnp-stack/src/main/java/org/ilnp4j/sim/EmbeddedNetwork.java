package org.ilnp4j.sim;

import java.util.List;
import org.ilnp4j.host.HostConfig;
import org.ilnp4j.ilnp.LocalLocator;
import org.ilnp4j.link.FaultInjector;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.mobility.HandoffPolicy;
import org.ilnp4j.mobility.MobilityConfig;
import org.ilnp4j.mobility.MobilityConfig.UplinkConfig;
import org.ilnp4j.mobility.MobilityObserver;
import org.ilnp4j.tcp.TcpConfig;
import org.ilnp4j.time.NanoClock;

/**
 * The usual scene: a mobile node with two access networks and one correspondent.
 *
 * <pre>
 *            wlan0 ── access0 ──(LAN)──┐
 *   mobile                             core ── eth0 correspondent
 *            wlan1 ── access1 ──(WAN)──┘
 * </pre>
 *
 * Every router advertises its Locator. The access links carry the data and the advertisements in
 * one queue.
 */
public final class EmbeddedNetwork {
  public static final String CORRESPONDENT_UPLINK = "eth0";
  public static final long MOBILE_NID = 0x0214_4fff_feab_cd01L;
  public static final long CORRESPONDENT_NID = 0x0214_4fff_feab_cd02L;
  public static final long CORRESPONDENT_L64 = 0x2001_0db8_000c_0000L;

  private static final String[] UPLINKS = {"wlan0", "wlan1"};
  private static final long[] ACCESS_L64 = {0x2001_0db8_0001_0000L, 0x2001_0db8_0002_0000L};
  private static final long[] TRANSIT_L64 = {0x2001_0db8_00f1_0000L, 0x2001_0db8_00f2_0000L};
  private static final long CORE_RATE = 1_000_000_000L;

  /**
   * The figures of a scene.
   *
   * @param accessRate of both access links in each direction, bit/s
   * @param accessDelayNanos of each access link, one way
   * @param queueBytes in front of each access link, each direction
   * @param backhaulDelayNanos between the first access router and the core, one way
   * @param secondBackhaulDelayNanos the same for the second
   * @param raMinIntervalNanos between two advertisements
   * @param raMaxIntervalNanos between two advertisements
   * @param secondStartsUp whether the mobile node sees the second link from the beginning
   * @param policy of the mobile node
   * @param tcp of both nodes
   */
  public record Scene(
      long accessRate,
      long accessDelayNanos,
      int queueBytes,
      long backhaulDelayNanos,
      long secondBackhaulDelayNanos,
      long raMinIntervalNanos,
      long raMaxIntervalNanos,
      boolean secondStartsUp,
      HandoffPolicy policy,
      TcpConfig tcp) {
    /**
     * 100 Mbit/s; 4 ms round trip on the first network, 24 ms on the second, which is down. The
     * receive window fits the queues, as in the published experiments.
     */
    public static final Scene DEFAULT =
        new Scene(
            100_000_000,
            NanoClock.millis(1),
            512 << 10,
            NanoClock.millis(1),
            NanoClock.millis(11),
            NanoClock.seconds(1),
            NanoClock.seconds(2),
            false,
            HandoffPolicy.FIRST_RA,
            TcpConfig.DEFAULT.withBuffers(4 << 20, 512 << 10));

    public Scene withAccess(long rate, int newQueueBytes) {
      return new Scene(
          rate,
          accessDelayNanos,
          newQueueBytes,
          backhaulDelayNanos,
          secondBackhaulDelayNanos,
          raMinIntervalNanos,
          raMaxIntervalNanos,
          secondStartsUp,
          policy,
          tcp);
    }

    public Scene withBackhaul(long firstDelayNanos, long secondDelayNanos) {
      return new Scene(
          accessRate,
          accessDelayNanos,
          queueBytes,
          firstDelayNanos,
          secondDelayNanos,
          raMinIntervalNanos,
          raMaxIntervalNanos,
          secondStartsUp,
          policy,
          tcp);
    }

    public Scene withPolicy(HandoffPolicy newPolicy) {
      return new Scene(
          accessRate,
          accessDelayNanos,
          queueBytes,
          backhaulDelayNanos,
          secondBackhaulDelayNanos,
          raMinIntervalNanos,
          raMaxIntervalNanos,
          secondStartsUp,
          newPolicy,
          tcp);
    }

    public Scene withTcp(TcpConfig newTcp) {
      return new Scene(
          accessRate,
          accessDelayNanos,
          queueBytes,
          backhaulDelayNanos,
          secondBackhaulDelayNanos,
          raMinIntervalNanos,
          raMaxIntervalNanos,
          secondStartsUp,
          policy,
          newTcp);
    }
  }

  private final SimNetwork network;
  private final SimHost mobile;
  private final SimHost correspondent;
  private final SimLink[] access = new SimLink[2];

  /**
   * Builds the scene in an empty network.
   *
   * @param observer told about the mobile node's moves
   */
  public EmbeddedNetwork(SimNetwork network, Scene scene, MobilityObserver observer) {
    this.network = network;
    mobile =
        new SimHost(
            network,
            "mobile",
            HostConfig.of(
                    MOBILE_NID,
                    MobilityConfig.of(
                        List.of(
                            UplinkConfig.byRouterAdvertisement(UPLINKS[0], 10),
                            UplinkConfig.byRouterAdvertisement(UPLINKS[1], 20)),
                        scene.policy()))
                .withTcp(scene.tcp()),
            observer);
    correspondent =
        new SimHost(
            network,
            "correspondent",
            HostConfig.of(
                    CORRESPONDENT_NID,
                    MobilityConfig.of(
                        List.of(UplinkConfig.byRouterAdvertisement(CORRESPONDENT_UPLINK, 10)),
                        HandoffPolicy.PREFERENCE))
                .withTcp(scene.tcp()),
            MobilityObserver.NONE);
    SimRouter core = new SimRouter(network, "core", 0xc);
    SimPort lan = core.addInterface("lan", CORRESPONDENT_L64);
    network.connect(lan, correspondent.uplink(CORRESPONDENT_UPLINK), LinkConfig.of(CORE_RATE, 0));
    advertise(core, lan, CORRESPONDENT_L64, scene);
    for (int i = 0; i < access.length; i++) {
      access[i] = connectAccess(i, core, scene);
    }
    if (!scene.secondStartsUp()) {
      access[1].down(FaultInjector.Cut.DROP);
    }
  }

  private SimLink connectAccess(int i, SimRouter core, Scene scene) {
    SimRouter router = new SimRouter(network, "access" + i, 0xa0 + i);
    SimPort radio = router.addInterface("radio", ACCESS_L64[i]);
    SimPort up = router.addInterface("up", TRANSIT_L64[i]);
    SimPort down = core.addInterface("down" + i, TRANSIT_L64[i]);
    long delay = i == 0 ? scene.backhaulDelayNanos() : scene.secondBackhaulDelayNanos();
    network.connect(up, down, LinkConfig.of(CORE_RATE, delay));
    router.routes().put(0, 0, up);
    core.routes().put(ACCESS_L64[i], 64, down);
    SimLink link =
        network.connect(
            radio,
            mobile.uplink(UPLINKS[i]),
            LinkConfig.of(scene.accessRate(), scene.accessDelayNanos())
                .withQueueBytes(scene.queueBytes()));
    advertise(router, radio, ACCESS_L64[i], scene);
    return link;
  }

  private static void advertise(SimRouter router, SimPort port, long l64, Scene scene) {
    router.advertise(
        port, RaConfig.ofLocator(l64, scene.raMinIntervalNanos(), scene.raMaxIntervalNanos()));
  }

  public SimNetwork network() {
    return network;
  }

  public SimHost mobile() {
    return mobile;
  }

  public SimHost correspondent() {
    return correspondent;
  }

  /** Access link 0 or 1: to take down, bring up, or change under way. */
  public SimLink access(int i) {
    return access[i];
  }

  /** Name of the mobile node's interface on access link 0 or 1. */
  public static String uplink(int i) {
    return UPLINKS[i];
  }

  /** The Locator of access network 0 or 1. */
  public static long accessL64(int i) {
    return ACCESS_L64[i];
  }

  /** True when both nodes have a Locator to send from. */
  public boolean isReady() {
    return mobile.isAttached() && correspondent.isAttached();
  }

  /** Number of the access link that the mobile node sends on, or -1. */
  public int activeAccess() {
    LocalLocator source = mobile.host().ilcc().local().source();
    for (int i = 0; i < ACCESS_L64.length; i++) {
      if (source != null && source.l64 == ACCESS_L64[i]) {
        return i;
      }
    }
    return -1;
  }
}
