package org.ilnp4j.naming;

import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.ilnp.Locator;
import org.ilnp4j.ilnp.Nid;
import org.ilnp4j.util.Printable;

/**
 * Destinations written out: {@code NID@L64[,L64…]}, or an IPv6 address, whose upper half is the
 * Locator and whose lower half the NID (RFC 6740 §3).
 */
public final class Literals implements Resolver {
  /** First address bits {@code 001}: global unicast (RFC 4291 §2.4); {@code fc00::/7} as well. */
  private static boolean isRoutable(long l64) {
    return l64 >>> 61 == 1 || l64 >>> 57 == 0x7e;
  }

  @Override
  public Future<Destination> resolve(String name, EventExecutor executor) {
    try {
      Destination d = parse(name);
      return d != null
          ? executor.newSucceededFuture(d)
          : executor.newFailedFuture(
              new UnknownHostException(
                  "unknown name \""
                      + Printable.of(name)
                      + "\"; add it to the hosts file, or write NID@L64"));
    } catch (IllegalArgumentException e) {
      return executor.newFailedFuture(e);
    }
  }

  /**
   * The destination written out in {@code name}, or null when it has neither form.
   *
   * @throws IllegalArgumentException with one clear line when it has one of the forms but cannot be
   *     a destination
   */
  public static Destination parse(String name) {
    // It goes into messages; no literal has anything unprintable in it.
    String text = Printable.of(name);
    int at = text.indexOf('@');
    if (at >= 0) {
      List<Long> locators = new ArrayList<>();
      for (String l64 : text.substring(at + 1).split(",", -1)) {
        locators.add(Locator.parse(l64));
      }
      return new Destination(text, Nid.parse(text.substring(0, at)), locators);
    }
    if (text.indexOf(':') < 0) {
      return null;
    }
    // A zone ("%eth0") belongs to link-local addresses only, and those have no Locator.
    byte[] address =
        text.indexOf('%') >= 0 ? null : NetUtil.createByteArrayFromIpAddressString(text);
    if (address == null || address.length != 16) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is neither an IPv6 address nor NID@L64, such as 2001:db8:1:1::5");
    }
    ByteBuffer halves = ByteBuffer.wrap(address);
    long l64 = halves.getLong();
    // Not Nid.parse: an address of a classic IPv6 node may have any bits here (RFC 7136 §5).
    long nid = halves.getLong();
    if (!isRoutable(l64) || nid == 0) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not the global unicast address of a node");
    }
    return new Destination(text, nid, List.of(l64));
  }
}
