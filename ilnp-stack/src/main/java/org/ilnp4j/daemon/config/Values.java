package org.ilnp4j.daemon.config;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ilnp4j.ilnp.Locator;
import org.ilnp4j.ilnp.Nid;
import org.ilnp4j.tun.IpPrefix;

/** The kinds of value a configuration file holds. */
final class Values {
  private record Unit(String name, long factor) {}

  private static final List<Unit> DURATIONS =
      List.of(
          new Unit("us", 1_000L),
          new Unit("ms", 1_000_000L),
          new Unit("s", 1_000_000_000L),
          new Unit("min", 60_000_000_000L),
          new Unit("h", 3_600_000_000_000L));

  private static final List<Unit> SIZES =
      List.of(
          new Unit("B", 1),
          new Unit("KiB", 1 << 10),
          new Unit("MiB", 1 << 20),
          new Unit("GiB", 1 << 30));

  private static final List<Unit> RATES =
      List.of(
          new Unit("bit/s", 1),
          new Unit("kbit/s", 1_000L),
          new Unit("Mbit/s", 1_000_000L),
          new Unit("Gbit/s", 1_000_000_000L));

  private static final List<Unit> PACKETS = List.of(new Unit("packets", 1), new Unit("packet", 1));

  private static final Pattern QUANTITY =
      Pattern.compile("([0-9]{1,12}(?:\\.[0-9]{1,9})?)\\s*([A-Za-z]+(?:/s)?|)");

  private static final Pattern SHARE = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,12})?)\\s*(%?)");

  /** What no packet waits for. */
  private static final String UNLIMITED = "unlimited";

  private static final Pattern NODE_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,31}");

  /** What the kernel takes as a link name, less what would need quoting in a shell. */
  private static final Pattern LINK_NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.@-]{0,14}");

  private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}");
  private static final Pattern PREFIX = Pattern.compile("([^/]+)(?:/([0-9]{1,3}))?");
  private static final Pattern IP4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
  private static final Pattern IP6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

  private Values() {}

  static ValueType<String> nodeName() {
    return toml ->
        matching(NODE_NAME, toml, "is not a node name; use letters, digits, - and _, 32 at most");
  }

  static ValueType<String> linkName() {
    return toml ->
        matching(LINK_NAME, toml, "is not a link name; names are as \"ip link\" shows them");
  }

  private static String matching(Pattern pattern, Object toml, String otherwise) {
    String text = text(toml);
    if (!pattern.matcher(text).matches()) {
      throw new IllegalArgumentException("\"" + text + "\" " + otherwise);
    }
    return text;
  }

  static ValueType<Integer> integer(int min, int max) {
    return toml -> {
      if (!(toml instanceof Long number)) {
        throw new IllegalArgumentException(
            show(toml) + " is not a whole number; give " + min + " to " + max);
      }
      if (number < min || number > max) {
        throw new IllegalArgumentException(number + " is out of range; give " + min + " to " + max);
      }
      return number.intValue();
    };
  }

  static ValueType<Double> decimal(double min, double max) {
    return toml -> {
      if (!(toml instanceof Long) && !(toml instanceof Double)) {
        throw new IllegalArgumentException(
            show(toml) + " is not a number; give " + min + " to " + max);
      }
      double number = ((Number) toml).doubleValue();
      if (!(number >= min && number <= max)) {
        throw new IllegalArgumentException(number + " is out of range; give " + min + " to " + max);
      }
      return number;
    };
  }

  static ValueType<Boolean> bool() {
    return toml -> {
      if (!(toml instanceof Boolean value)) {
        throw new IllegalArgumentException(
            show(toml) + " is neither true nor false; write one of them without quotes");
      }
      return value;
    };
  }

  static ValueType<String> oneOf(String... choices) {
    return toml -> {
      String text = text(toml);
      if (!List.of(choices).contains(text)) {
        throw new IllegalArgumentException(
            "\""
                + text
                + "\" is not known; choose "
                + Stream.of(choices).map(c -> "\"" + c + "\"").collect(Collectors.joining(", ")));
      }
      return text;
    };
  }

  /** A constant of an enum, in lower case with dashes. */
  static <E extends Enum<E>> ValueType<E> oneOf(Class<E> type) {
    E[] constants = type.getEnumConstants();
    ValueType<String> names = oneOf(Stream.of(constants).map(Values::label).toArray(String[]::new));
    return toml -> {
      String text = names.read(toml);
      return Stream.of(constants).filter(c -> label(c).equals(text)).findFirst().orElseThrow();
    };
  }

  private static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** A whole number out of a few. */
  static ValueType<Integer> oneOf(int a, int b) {
    return toml -> {
      if (!(toml instanceof Long number) || (number != a && number != b)) {
        throw new IllegalArgumentException(show(toml) + " is not " + a + " or " + b);
      }
      return number.intValue();
    };
  }

  /** Nanoseconds; the bounds are written as the user would. */
  static ValueType<Long> duration(String min, String max) {
    return quantity("duration", "200 ms", DURATIONS, min, max);
  }

  /** Octets. */
  static ValueType<Long> size(String min, String max) {
    return quantity("size", "4 MiB", SIZES, min, max);
  }

  private static ValueType<Long> quantity(
      String what, String example, List<Unit> units, String min, String max) {
    long least = quantity(what, example, units, min);
    long most = quantity(what, example, units, max);
    return toml -> {
      if (toml instanceof Number) {
        throw new IllegalArgumentException(
            toml + " has no unit; write a " + what + " in quotes, such as \"" + example + "\"");
      }
      long value = quantity(what, example, units, text(toml));
      if (value < least || value > most) {
        throw new IllegalArgumentException(
            "\"" + toml + "\" is out of range; give \"" + min + "\" to \"" + max + "\"");
      }
      return value;
    };
  }

  private static long quantity(String what, String example, List<Unit> units, String text) {
    Matcher m = QUANTITY.matcher(text.strip());
    if (!m.matches() || m.group(2).isEmpty()) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a " + what + "; write it as \"" + example + "\"");
    }
    for (Unit unit : units) {
      if (unit.name().equals(m.group(2))) {
        BigDecimal product = new BigDecimal(m.group(1)).multiply(BigDecimal.valueOf(unit.factor()));
        return product
            .min(BigDecimal.valueOf(Long.MAX_VALUE))
            .setScale(0, RoundingMode.HALF_UP)
            .longValueExact();
      }
    }
    throw new IllegalArgumentException(
        "\""
            + text
            + "\" has a unit that is not known here; use "
            + units.stream().map(Unit::name).collect(Collectors.joining(", ")));
  }

  /** Bits per second; 0 for {@code "unlimited"}. */
  static ValueType<Long> rate(String min, String max) {
    ValueType<Long> limited = quantity("rate", "20 Mbit/s", RATES, min, max);
    return toml -> UNLIMITED.equals(toml) ? Long.valueOf(0) : limited.read(toml);
  }

  /** Packets, or octets: exactly one of the two is not null. */
  record Amount(Long packets, Long octets) {}

  static ValueType<Amount> packetsOrSize() {
    ValueType<Long> packets =
        quantity("number of packets", "100 packets", PACKETS, "0 packets", "1000000 packets");
    ValueType<Long> octets = size("0 B", "1 GiB");
    return toml ->
        toml instanceof String text && text.strip().endsWith("B")
            ? new Amount(null, octets.read(toml))
            : new Amount(packets.read(toml), null);
  }

  /** A part of all packets, from 0 to 1; written so, or in percent. */
  static ValueType<Double> share() {
    return toml -> {
      Matcher m = SHARE.matcher(toml instanceof Number ? toml.toString() : text(toml).strip());
      if (!m.matches()) {
        throw new IllegalArgumentException(
            show(toml) + " is not a share of the packets; write it as \"0.5 %\" or 0.005");
      }
      double share = Double.parseDouble(m.group(1)) / (m.group(2).isEmpty() ? 1 : 100);
      if (share > 1) {
        throw new IllegalArgumentException(
            show(toml) + " is more than all packets; give \"0 %\" to \"100 %\", or 0 to 1");
      }
      return share;
    };
  }

  static ValueType<Long> seed() {
    return toml -> {
      if (toml instanceof Long number) {
        return number;
      }
      throw new IllegalArgumentException(show(toml) + " is not a whole number");
    };
  }

  /** Each element of an array. */
  static <T> ValueType<List<T>> list(ValueType<T> of) {
    return toml -> {
      if (!(toml instanceof org.tomlj.TomlArray array)) {
        throw new IllegalArgumentException(
            show(toml) + " is not a list; put its values in brackets: [\"...\", \"...\"]");
      }
      return array.toList().stream().map(of::read).toList();
    };
  }

  /** As {@code ip netns} names them. */
  static ValueType<String> namespace() {
    return toml ->
        matching(NAMESPACE, toml, "is not a namespace; names are as \"ip netns\" shows them");
  }

  /** An address of either version and the length of its prefix; without it, of one address. */
  static ValueType<IpPrefix> prefix() {
    return toml -> {
      String text = text(toml);
      Matcher m = PREFIX.matcher(text);
      InetAddress address = m.matches() ? literal(m.group(1)) : null;
      if (address == null) {
        throw new IllegalArgumentException(
            "\""
                + text
                + "\" is not an address; write one such as \"fd00::1/64\" or \"10.0.0.1/24\"");
      }
      int length =
          m.group(2) == null ? address.getAddress().length * 8 : Integer.parseInt(m.group(2));
      return new IpPrefix(address, length);
    };
  }

  /** A path, relative to {@code baseDir}. */
  static ValueType<Path> path() {
    return toml -> {
      String text = text(toml);
      try {
        if (!text.isBlank()) {
          return Path.of(text);
        }
      } catch (InvalidPathException e) {
        throw new IllegalArgumentException("\"" + text + "\" is not a path: " + e.getReason(), e);
      }
      throw new IllegalArgumentException("an empty path names no file; give one");
    };
  }

  /** {@code host:port}. */
  static ValueType<HostPort> hostPort() {
    return toml -> HostPort.parse(text(toml));
  }

  /** An address of this host and a port; names other than {@code localhost} are not looked up. */
  static ValueType<InetSocketAddress> listenAddress() {
    return toml -> {
      HostPort parsed = HostPort.parse(text(toml));
      String host = parsed.host().equals("localhost") ? "127.0.0.1" : parsed.host();
      InetAddress address = literal(host);
      if (address == null) {
        throw new IllegalArgumentException(
            "\"" + parsed.host() + "\" is not an address to listen on; use 127.0.0.1 or [::1]");
      }
      return new InetSocketAddress(address, parsed.port());
    };
  }

  /** Of a router: neighbours are known by their link-local addresses (RFC 4861 §6.1.2). */
  static ValueType<Inet6Address> linkLocalAddress() {
    return toml -> {
      String text = text(toml);
      if (literal(text) instanceof Inet6Address address) {
        if (!address.isLinkLocalAddress()) {
          throw new IllegalArgumentException(
              "\"" + text + "\" is not link-local (fe80::/10); \"ip -6 route\" shows the router's");
        }
        return address;
      }
      throw new IllegalArgumentException(
          "\"" + text + "\" is not an IPv6 address; write one such as \"fe80::1\"");
    };
  }

  /** An address literal, or null. Never asks the DNS. */
  private static InetAddress literal(String text) {
    boolean ip4 =
        IP4.matcher(text).matches()
            && Stream.of(text.split("\\.")).allMatch(octet -> Integer.parseInt(octet) <= 255);
    if (!ip4 && !IP6.matcher(text).matches()) {
      return null;
    }
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      return null;
    }
  }

  static ValueType<Long> locator() {
    return toml -> Locator.parse(text(toml));
  }

  static ValueType<NidSource> nid() {
    return toml -> {
      String text = text(toml);
      if (text.equals("random")) {
        return new NidSource.Random();
      }
      if (text.equals("eui64")) {
        return new NidSource.Eui64("");
      }
      if (text.startsWith("eui64:")) {
        return new NidSource.Eui64(linkName().read(text.substring("eui64:".length())));
      }
      try {
        return new NidSource.Explicit(Nid.parse(text));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            e.getMessage() + "; or write \"eui64:LINK\" or \"random\"", e);
      }
    };
  }

  private static String text(Object toml) {
    if (toml instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException(show(toml) + " must be a text in quotes");
  }

  /** A wrong value, as short as it takes to recognise it. */
  private static String show(Object toml) {
    if (toml instanceof String text) {
      return "\"" + text + "\"";
    }
    if (toml instanceof org.tomlj.TomlTable) {
      return "a table";
    }
    if (toml instanceof org.tomlj.TomlArray) {
      return "an array";
    }
    return String.valueOf(toml);
  }
}
