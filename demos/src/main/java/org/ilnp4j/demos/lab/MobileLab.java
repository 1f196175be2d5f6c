package org.ilnp4j.demos.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * The network of the demonstration: a mobile node with two uplinks, an access router with its own
 * radvd on each, a core router, and the correspondent behind it.
 *
 * <pre>
 *          +-- w1 ---- r1 (radvd, 2001:db8:1:1::/64) --+
 *   mn ----+                                           +---- core (radvd) ---- e0 -- cn
 *          +-- w2 ---- r2 (radvd, 2001:db8:2:2::/64) --+      2001:db8:c:c::/64
 * </pre>
 *
 * Both access links are shaped to a rate towards the mobile node.
 */
public final class MobileLab implements AutoCloseable {
  public static final String MOBILE_NID = "0214:4fff:feab:cd01";
  public static final String CORRESPONDENT_NID = "0214:4fff:feab:cd02";
  public static final String CORRESPONDENT_L64 = "2001:db8:c:c";
  private static final String CORE_PREFIX = "2001:db8:c:c";

  public final Lab lab;
  public final String mn;
  public final String cn;
  private final String core;

  /**
   * Builds the network; link w2 of the mobile node is left down.
   *
   * @param mbitPerSecond rate of each access link towards the mobile node
   */
  public MobileLab(Lab lab, int mbitPerSecond) throws IOException {
    this.lab = lab;
    mn = lab.namespace("mn");
    cn = lab.namespace("cn");
    core = lab.namespace("core");
    lab.sysctl(core, "net/ipv6/conf/all/forwarding", "1");
    accessNetwork(1, mbitPerSecond);
    accessNetwork(2, mbitPerSecond);
    lab.veth(core, "c0", cn, "e0");
    lab.ip(core, "link", "set", "c0", "up");
    lab.ip(core, "addr", "add", CORE_PREFIX + "::1/64", "dev", "c0", "nodad");
    lab.ip(cn, "link", "set", "e0", "up");
    radvd(core, "core", "c0", CORE_PREFIX);
    linkUp("w1");
  }

  private void accessNetwork(int i, int mbitPerSecond) throws IOException {
    String r = lab.namespace("r" + i);
    String prefix = String.format(Locale.ROOT, "2001:db8:%d:%d", i, i);
    lab.sysctl(r, "net/ipv6/conf/all/forwarding", "1");
    lab.veth(mn, "w" + i, r, "a0");
    lab.veth(r, "wan", core, "r" + i);
    lab.ip(r, "link", "set", "a0", "up");
    lab.ip(r, "link", "set", "wan", "up");
    lab.ip(core, "link", "set", "r" + i, "up");
    lab.ip(r, "addr", "add", prefix + "::1/64", "dev", "a0", "nodad");
    lab.ip(r, "addr", "add", "fd00:0:0:" + i + "::2/64", "dev", "wan", "nodad");
    lab.ip(core, "addr", "add", "fd00:0:0:" + i + "::1/64", "dev", "r" + i, "nodad");
    lab.ip(r, "-6", "route", "add", "default", "via", "fd00:0:0:" + i + "::1");
    lab.ip(core, "-6", "route", "add", prefix + "::/64", "via", "fd00:0:0:" + i + "::2");
    lab.exec(
        r,
        "tc",
        "qdisc",
        "add",
        "dev",
        "a0",
        "root",
        "tbf",
        "rate",
        mbitPerSecond + "mbit",
        "burst",
        "64kb",
        "latency",
        "200ms");
    radvd(r, "r" + i, "a0", prefix);
  }

  /** RAs every 3 to 4 s, solicited ones at once, lifetimes a few intervals long. */
  private void radvd(String ns, String name, String dev, String prefix) throws IOException {
    Path conf = lab.directory().resolve("radvd-" + name + ".conf");
    Files.writeString(
        conf,
        String.join(
            "\n",
            "interface " + dev + " {",
            "  AdvSendAdvert on;",
            "  AdvIntervalOpt on;",
            "  MinDelayBetweenRAs 0.03;",
            "  MinRtrAdvInterval 3;",
            "  MaxRtrAdvInterval 4;",
            "  AdvDefaultLifetime 12;",
            "  prefix " + prefix + "::/64 {",
            "    AdvValidLifetime 60;",
            "    AdvPreferredLifetime 30;",
            "  };",
            "};",
            ""));
    lab.spawn(
        ns,
        "radvd-" + name,
        List.of(
            "radvd",
            "--nodaemon",
            "--logmethod",
            "stderr",
            "--config",
            conf.toString(),
            "--pidfile",
            lab.directory().resolve("radvd-" + name + ".pid").toString()));
  }

  /** Brings an uplink of the mobile node up. */
  public void linkUp(String uplink) throws IOException {
    lab.ip(mn, "link", "set", uplink, "up");
  }

  /** Takes an uplink of the mobile node down. */
  public void linkDown(String uplink) throws IOException {
    lab.ip(mn, "link", "set", uplink, "down");
  }

  @Override
  public void close() {
    lab.close();
  }
}
