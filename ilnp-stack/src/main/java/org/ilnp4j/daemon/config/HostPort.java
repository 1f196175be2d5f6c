package org.ilnp4j.daemon.config;

/**
 * A host, not looked up yet, and a port.
 *
 * @param host a name or an address literal, without brackets
 * @param port 1 to 65535
 */
public record HostPort(String host, int port) {
  public HostPort {
    if (host.isEmpty() || port < 1 || port > 65535) {
      throw new IllegalArgumentException("host \"" + host + "\", port " + port);
    }
  }

  /** Parses {@code name:port}, {@code 127.0.0.1:port} or {@code [::1]:port}. */
  public static HostPort parse(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw new IllegalArgumentException(
          "\"" + text + "\" has several colons; write an IPv6 address as \"[::1]:8080\"");
    }
    String port = text.substring(colon + 1);
    if (host.isBlank() || !port.matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a host and a port; write it as \"host:8080\"");
    }
    int number = Integer.parseInt(port);
    if (number < 1 || number > 65535) {
      throw new IllegalArgumentException(
          "port " + number + " does not exist; ports are 1 to 65535");
    }
    return new HostPort(host, number);
  }

  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
