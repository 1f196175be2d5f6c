package org.ilnp4j.emulate;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.ilnp4j.ip6.PacketSink;
import org.ilnp4j.link.PcapWriter;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.tun.Ip6Address;
import org.ilnp4j.tun.IpPrefix;
import org.ilnp4j.tun.LinkCounters;
import org.ilnp4j.tun.LinuxException;
import org.ilnp4j.tun.Netlink;
import org.ilnp4j.tun.NetworkNamespace;
import org.ilnp4j.tun.Route;
import org.ilnp4j.tun.Sysctl;
import org.ilnp4j.tun.TunDevice;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One end of the emulated link: a TUN device in its namespace. All that is set there belongs to the
 * device and vanishes with it, on close and when the process dies. Packets are read and written on
 * the emulator's thread.
 */
final class EmulatorPort implements PacketSink, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmulatorPort.class);

  /** Packets the kernel may keep for us; it drops what comes while we are this far behind. */
  private static final int TUN_QUEUE_PACKETS = 16_384;

  private static final long ADDRESS_SECONDS = 5;
  private static final long PAUSE_NANOS = 500_000;

  private final TunDevice device;
  private final Netlink netlink;
  private final int linkIndex;
  private final int mtuBytes;
  private final NanoClock clock;
  private final PcapWriter pcap;

  /** A buffer made for a read that found nothing. */
  private ByteBuf spare;

  private long refused;
  private boolean isRefusing;

  private EmulatorPort(
      TunDevice device,
      Netlink netlink,
      int linkIndex,
      int mtuBytes,
      NanoClock clock,
      PcapWriter pcap) {
    this.device = device;
    this.netlink = netlink;
    this.linkIndex = linkIndex;
    this.mtuBytes = mtuBytes;
    this.clock = clock;
    this.pcap = pcap;
  }

  /** Makes the device and sets it up. */
  static EmulatorPort open(EmulatorConfig.Side side, int mtuBytes, NanoClock clock)
      throws IOException {
    PcapWriter pcap = side.pcap().isPresent() ? capture(side.pcap().get(), clock) : null;
    Callable<EmulatorPort> inside = () -> openHere(side, mtuBytes, clock, pcap);
    try {
      return side.namespace().isPresent()
          ? NetworkNamespace.call(side.namespace().get(), inside)
          : openHere(side, mtuBytes, clock, pcap);
    } catch (IOException | RuntimeException e) {
      if (pcap != null) {
        pcap.close();
      }
      throw e;
    }
  }

  private static PcapWriter capture(Path file, NanoClock clock) throws IOException {
    return PcapWriter.openForAnyIp(file, PcapWriter.epochNanosOf(clock));
  }

  private static EmulatorPort openHere(
      EmulatorConfig.Side side, int mtuBytes, NanoClock clock, PcapWriter pcap) throws IOException {
    TunDevice device = TunDevice.open(side.device(), TunDevice.Offload.NONE);
    Netlink netlink = null;
    try {
      netlink = Netlink.open();
      int link = netlink.requireLink(device.name()).index();
      netlink.setMtu(link, mtuBytes);
      netlink.setTxQueueLength(link, TUN_QUEUE_PACKETS);
      keepKernelQuiet(device.name());
      netlink.setUp(link, true);
      for (IpPrefix address : side.addresses()) {
        netlink.addAddress(link, address);
      }
      for (IpPrefix route : side.routes()) {
        netlink.addRoute(link, route);
      }
      awaitAddresses(side, netlink);
      return new EmulatorPort(device, netlink, link, mtuBytes, clock, pcap);
    } catch (IOException | RuntimeException e) {
      device.close();
      if (netlink != null) {
        netlink.close();
      }
      throw e;
    }
  }

  /** What the kernel says by itself on a new link would cross it and be counted. */
  private static void keepKernelQuiet(String device) throws LinuxException {
    // No link-local address of its own, so no router solicitation and no report about it.
    Sysctl.write(Sysctl.ipv6(device, "addr_gen_mode"), "1");
  }

  /** The kernel takes an IPv6 address into use a little after it has accepted it. */
  private static void awaitAddresses(EmulatorConfig.Side side, Netlink netlink) throws IOException {
    Set<Ip6Address> wanted = new HashSet<>();
    for (IpPrefix p : side.addresses()) {
      if (p.isIp6()) {
        wanted.add(Ip6Address.parse(p.address().getHostAddress()));
      }
    }
    long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(ADDRESS_SECONDS);
    while (!wanted.isEmpty()) {
      netlink.routes(Route.TABLE_LOCAL).forEach(r -> wanted.remove(r.destination()));
      if (System.nanoTime() - giveUpNanos > 0) {
        throw new IOException(
            "the kernel does not take "
                + wanted.iterator().next()
                + " into use on "
                + side.device()
                + "; is IPv6 switched off there (sysctl disable_ipv6)?");
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  int fd() {
    return device.fd();
  }

  /** Packets that the kernel did not take, such as those whose version number was corrupted. */
  long refused() {
    return refused;
  }

  /** What the kernel counts on the device. Not for two threads at a time. */
  LinkCounters kernelCounters() throws LinuxException {
    return netlink.counters(linkIndex);
  }

  /** The next packet that the kernel sends here, or null. The caller owns it. */
  ByteBuf read(ByteBufAllocator allocator) throws IOException {
    ByteBuf packet = spare == null ? allocator.directBuffer(mtuBytes, mtuBytes) : spare;
    spare = packet;
    int bytes = device.read(packet.memoryAddress(), mtuBytes);
    if (bytes == 0) {
      return null;
    }
    spare = null;
    packet.writerIndex(bytes);
    record(packet);
    return packet;
  }

  /** Hands a packet to the kernel, which takes it at once or not at all. */
  @Override
  public void transmit(ByteBuf packet) {
    record(packet);
    try {
      long address = packet.memoryAddress() + packet.readerIndex();
      if (device.write(address, packet.readableBytes()) == 0) {
        refused++;
      }
      isRefusing = false;
    } catch (LinuxException e) {
      refused++;
      if (!isRefusing) {
        isRefusing = true;
        LOG.debug("a packet is not taken by the kernel: {}", e.getMessage());
      }
    } finally {
      packet.release();
    }
  }

  private void record(ByteBuf packet) {
    if (pcap != null) {
      pcap.write(clock.nanoTime(), packet);
    }
  }

  /** Hands what was captured to the operating system. */
  void flushCapture() {
    if (pcap != null) {
      pcap.flush();
    }
  }

  /** Removes the device. */
  @Override
  public void close() {
    device.close();
    netlink.close();
    if (pcap != null) {
      pcap.close();
    }
    if (spare != null) {
      spare.release();
      spare = null;
    }
  }
}
