package org.ilnp4j.daemon.config;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.ilnp4j.link.DropPolicy;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.time.NanoClock;

/**
 * What can be said about one direction of an emulated link: in its configuration file, and while it
 * runs.
 */
public final class LinkKeys {
  /** Nothing happens to packets; those to be held back would be held back for 10 ms. */
  public static final LinkConfig DEFAULT =
      LinkConfig.PERFECT.withReorder(0, NanoClock.millis(10)).withMtu(65535);

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  /**
   * One setting.
   *
   * @param set makes a link with that value
   * @param show gives the value of a link, as it could be written
   */
  private record Setting<T>(
      String name,
      ValueType<T> type,
      BiFunction<LinkConfig, T, LinkConfig> set,
      Function<LinkConfig, String> show) {
    LinkConfig change(LinkConfig link, Object toml) {
      return set.apply(link, type.read(toml));
    }

    void addTo(ConfigSection section) {
      section.optional(name, type);
    }
  }

  private static final List<Setting<?>> ALL =
      List.of(
          new Setting<>(
              "rate",
              Values.rate("1 bit/s", "1000 Gbit/s"),
              LinkConfig::withRate,
              c -> rate(c.rateBitsPerSecond())),
          duration("delay", LinkConfig::withDelay, LinkConfig::delayNanos),
          duration("jitter", LinkConfig::withJitter, LinkConfig::jitterNanos),
          share("loss", LinkConfig::withLoss, LinkConfig::loss),
          share(
              "burst-start",
              (c, p) -> c.withBursts(p, c.burstEnd(), c.burstLoss()),
              LinkConfig::burstStart),
          share(
              "burst-end",
              (c, p) -> c.withBursts(c.burstStart(), p, c.burstLoss()),
              LinkConfig::burstEnd),
          share(
              "burst-loss",
              (c, p) -> c.withBursts(c.burstStart(), c.burstEnd(), p),
              LinkConfig::burstLoss),
          share("duplicate", LinkConfig::withDuplicate, LinkConfig::duplicate),
          share("corrupt", LinkConfig::withCorrupt, LinkConfig::corrupt),
          share("reorder", (c, p) -> c.withReorder(p, c.reorderNanos()), LinkConfig::reorder),
          duration("reorder-by", (c, n) -> c.withReorder(c.reorder(), n), LinkConfig::reorderNanos),
          new Setting<>("queue", Values.packetsOrSize(), LinkKeys::withQueue, LinkKeys::queue),
          new Setting<>(
              "drop",
              Values.oneOf(DropPolicy.class),
              LinkConfig::withDropPolicy,
              c -> c.dropPolicy().name().toLowerCase(Locale.ROOT)),
          duration("per-packet", LinkConfig::withPerPacket, LinkConfig::perPacketNanos),
          new Setting<>(
              "mtu", Values.integer(1280, 65535), LinkConfig::withMtu, c -> "" + c.mtu()));

  private LinkKeys() {}

  private static Setting<Long> duration(
      String name, BiFunction<LinkConfig, Long, LinkConfig> set, Function<LinkConfig, Long> nanos) {
    return new Setting<>(name, Values.duration("0 s", "1 h"), set, c -> duration(nanos.apply(c)));
  }

  private static Setting<Double> share(
      String name,
      BiFunction<LinkConfig, Double, LinkConfig> set,
      Function<LinkConfig, Double> share) {
    return new Setting<>(
        name,
        Values.share(),
        set,
        c ->
            BigDecimal.valueOf(share.apply(c))
                    .movePointRight(2)
                    .stripTrailingZeros()
                    .toPlainString()
                + " %");
  }

  private static LinkConfig withQueue(LinkConfig c, Values.Amount amount) {
    return amount.packets() == null
        ? c.withQueueBytes((int) (long) amount.octets())
        : c.withQueuePackets((int) (long) amount.packets());
  }

  private static String queue(LinkConfig c) {
    return c.queueBytes() == Integer.MAX_VALUE
        ? c.queuePackets() + " packets"
        : c.queueBytes() + " B";
  }

  private static String rate(long bitsPerSecond) {
    return bitsPerSecond == 0 ? "unlimited" : quantity(bitsPerSecond, 1_000_000, "Mbit/s");
  }

  private static String duration(long nanos) {
    return quantity(nanos, 1_000_000, "ms");
  }

  private static String quantity(long value, long unit, String name) {
    BigDecimal number =
        BigDecimal.valueOf(value).divide(BigDecimal.valueOf(unit)).stripTrailingZeros();
    return number.toPlainString() + " " + name;
  }

  /** Adds all keys to a section, none of them with a default. */
  static ConfigSection addTo(ConfigSection section) {
    ALL.forEach(s -> s.addTo(section));
    return section;
  }

  /** The link with what the table says. */
  static LinkConfig read(LinkConfig base, ConfigTable t) {
    LinkConfig link = base;
    for (ConfigKey<?> key : t.section().keys()) {
      Object value = t.get(key);
      if (value != null) {
        link = apply(setting(key.name()), link, value);
      }
    }
    return link;
  }

  @SuppressWarnings("unchecked") // the key was made from the setting
  private static <T> LinkConfig apply(Setting<T> setting, LinkConfig link, Object value) {
    return setting.set().apply(link, (T) value);
  }

  /** The keys, in the order of the samples. */
  public static List<String> names() {
    return ALL.stream().map(s -> s.name()).toList();
  }

  /**
   * The link with one setting changed.
   *
   * @param value as in the configuration file, without quotes
   * @throws IllegalArgumentException with one line: what is wrong and how to mend it
   */
  public static LinkConfig change(LinkConfig link, String name, String value) {
    Setting<?> setting = setting(name);
    if (setting == null) {
      String nearest = Nearest.to(name, names());
      throw new IllegalArgumentException(
          name
              + ": is not known; "
              + (nearest == null
                  ? "known are: " + String.join(", ", names())
                  : "did you mean \"" + nearest + "\"?"));
    }
    try {
      return setting.change(link, NUMBER.matcher(value).matches() ? Long.valueOf(value) : value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
    }
  }

  private static Setting<?> setting(String name) {
    return ALL.stream().filter(s -> s.name().equals(name)).findFirst().orElse(null);
  }

  /** Every setting of a link, as it could be written. */
  public static Map<String, String> show(LinkConfig link) {
    Map<String, String> all = new LinkedHashMap<>();
    ALL.forEach(s -> all.put(s.name(), s.show().apply(link)));
    return all;
  }
}
