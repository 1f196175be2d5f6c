package org.ilnp4j.daemon.plumbing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.ilnp4j.tun.testing.Netns;

/** What the kernel of a namespace has, as text that can be compared. */
final class Snapshot {
  private Snapshot() {}

  /** Routes of all tables, rules, proxy entries, addresses, settings, receive offload. */
  static String of(Netns ns, List<String> uplinks) {
    String routes = routes(ns);
    String settings =
        ns.exec("sysctl", "-a", "-r", "^net\\.ipv6\\.(conf|neigh)\\.")
            .lines()
            // Secrets and statistics of the kernel itself.
            .filter(l -> !l.contains("stable_secret"))
            .sorted()
            .collect(Collectors.joining("\n"));
    String offload =
        uplinks.stream()
            .map(
                u ->
                    u
                        + " "
                        + ns.exec("ethtool", "-k", u)
                            .lines()
                            .filter(l -> l.startsWith("generic-receive-offload"))
                            .findFirst()
                            .orElse(""))
            .collect(Collectors.joining("\n"));
    return String.join(
        "\n",
        "routes",
        routes,
        "rules",
        ns.exec("ip", "-6", "rule"),
        "proxies",
        ns.exec("ip", "-6", "neigh", "show", "proxy"),
        "addresses",
        addresses(ns),
        settings,
        offload);
  }

  /** The lines that two snapshots do not share, as a diff has them. */
  static List<String> difference(String before, String after) {
    List<String> lost = new ArrayList<>(before.lines().toList());
    List<String> come = new ArrayList<>(after.lines().toList());
    lost.removeAll(after.lines().toList());
    come.removeAll(before.lines().toList());
    List<String> difference = new ArrayList<>();
    lost.forEach(l -> difference.add("- " + l));
    come.forEach(l -> difference.add("+ " + l));
    return difference;
  }

  static String routes(Netns ns) {
    return withoutLifetimes(ns.exec("ip", "-6", "route", "show", "table", "all"));
  }

  static String addresses(Netns ns) {
    return withoutLifetimes(ns.exec("ip", "-6", "-o", "addr"));
  }

  /** Lifetimes count down between two looks. */
  private static String withoutLifetimes(String text) {
    return text.lines()
        .map(l -> l.replaceAll("(expires|valid_lft|preferred_lft) [0-9]+sec", "$1 n"))
        .sorted()
        .collect(Collectors.joining("\n"));
  }
}
