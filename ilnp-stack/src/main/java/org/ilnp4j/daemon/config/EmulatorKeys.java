package org.ilnp4j.daemon.config;

import java.nio.file.Path;
import java.util.List;
import org.ilnp4j.emulate.EmulatorConfig;
import org.ilnp4j.tun.IpPrefix;

/** Every section and key of an emulator's configuration file, with its default. */
final class EmulatorKeys {
  static final ConfigSection TOP = ConfigSection.top();
  static final ConfigKey<String> NAME = TOP.key("name", Values.nodeName(), "emulator");
  static final ConfigKey<Long> SEED = TOP.key("seed", Values.seed(), 1L);
  static final ConfigKey<Integer> MTU =
      TOP.key("mtu", Values.integer(1280, EmulatorConfig.MAX_MTU), EmulatorConfig.DEFAULT_MTU);

  /** The keys of one end. */
  record End(
      ConfigSection section,
      ConfigKey<String> netns,
      ConfigKey<String> device,
      ConfigKey<List<IpPrefix>> addresses,
      ConfigKey<List<IpPrefix>> routes,
      ConfigKey<Path> pcap) {
    static End of(String name, String device) {
      ConfigSection s = ConfigSection.table(name);
      return new End(
          s,
          s.optional("netns", Values.namespace()),
          s.key("device", Values.linkName(), device),
          s.key("addresses", Values.list(Values.prefix()), List.of()),
          s.key("routes", Values.list(Values.prefix()), List.of()),
          s.optional("pcap", Values.path()));
    }
  }

  static final End LEFT = End.of("left", "emu0");
  static final End RIGHT = End.of("right", "emu1");

  static final ConfigSection BOTH = LinkKeys.addTo(ConfigSection.table("link"));
  static final ConfigSection LEFT_TO_RIGHT = LinkKeys.addTo(ConfigSection.table("left-to-right"));
  static final ConfigSection RIGHT_TO_LEFT = LinkKeys.addTo(ConfigSection.table("right-to-left"));

  static final ConfigSection CONTROL = ConfigSection.table("control");
  static final ConfigKey<Path> CONTROL_SOCKET = CONTROL.optional("socket", Values.path());

  static final List<ConfigSection> ALL =
      List.of(TOP, LEFT.section(), RIGHT.section(), BOTH, LEFT_TO_RIGHT, RIGHT_TO_LEFT, CONTROL);

  private EmulatorKeys() {}
}
