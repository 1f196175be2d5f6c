package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.ilnp4j.link.FaultInjector;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.link.LinkDrop;
import org.ilnp4j.link.LinkStats;
import org.ilnp4j.link.PacketRing;
import org.ilnp4j.link.TransmitTime;
import org.ilnp4j.time.Timer;
import org.ilnp4j.wire.Ip6;

/**
 * A half-duplex medium shared by several stations, such as a Wi-Fi cell or an old Ethernet: one
 * packet is in the air at a time, at one rate. A station with something to send lines up behind
 * those that asked before it and sends one packet at its turn, which is the fair share that
 * contention gives in the mean; collisions cost nothing here, {@link LinkConfig#perPacketNanos}
 * stands for the overhead.
 *
 * <p>A multicast packet reaches every other station. Any other goes to the station that {@link
 * SimPort#answersTo answers to} its destination NID, else to the {@link #gateway}, else, with two
 * stations, to the other one.
 */
public final class SimMedium implements SimChannel {
  private static final class Station {
    final SimPort port;

    /** The way from the air to this station: delay and faults, no rate of its own. */
    final FaultInjector receiving;

    final PacketRing queue = new PacketRing();
    final LinkStats sending = new LinkStats();
    boolean isUp = true;
    boolean isInLine;

    Station(SimPort port, FaultInjector receiving) {
      this.port = port;
      this.receiving = receiving;
    }
  }

  private final SimNetwork network;
  private final Map<SimPort, Station> stations = new LinkedHashMap<>();
  private final ArrayDeque<Station> line = new ArrayDeque<>();
  private LinkConfig config;
  private Station gateway;
  private Station speaker;
  private ByteBuf inTheAir;
  private final TransmitTime transmitTime = new TransmitTime();

  private final Timer departure =
      new Timer() {
        @Override
        protected void fire(long nowNanos) {
          depart();
        }
      };

  SimMedium(SimNetwork network, LinkConfig config) {
    this.network = network;
    this.config = config;
  }

  /** Adds a station that is up; it is told within this instant. */
  public SimMedium join(SimPort port) {
    port.connect(this);
    stations.put(port, new Station(port, network.injector(towardsStation(), port)));
    network.linkChanged(port);
    return this;
  }

  /** The station that takes packets whose destination no station answers to: an access point. */
  public SimMedium gateway(SimPort port) {
    gateway = station(port);
    return this;
  }

  /** Changes the medium for every packet not in the air yet. */
  public void configure(LinkConfig newConfig) {
    config = newConfig;
    for (Station s : stations.values()) {
      s.receiving.configure(towardsStation());
    }
  }

  private LinkConfig towardsStation() {
    return config.withRate(0).withPerPacket(0);
  }

  /** The station's sending side: offered packets, queue, drops before the air. */
  public LinkStats sent(SimPort port) {
    return station(port).sending;
  }

  /** The station's receiving side: what was in the air for it and what of that arrived. */
  public LinkStats received(SimPort port) {
    return station(port).receiving.stats();
  }

  /** The station enters the cell; it is told within this instant. */
  public void enter(SimPort port) {
    Station s = station(port);
    if (!s.isUp) {
      s.isUp = true;
      s.receiving.up();
      network.linkChanged(port);
    }
  }

  /** The station leaves the cell: its queue is lost; it is told within this instant. */
  public void leave(SimPort port, FaultInjector.Cut cut) {
    Station s = station(port);
    if (s.isUp) {
      s.isUp = false;
      s.receiving.down(cut);
      while (!s.queue.isEmpty()) {
        drop(s, LinkDrop.CUT, s.queue.poll());
      }
      network.linkChanged(port);
    }
  }

  @Override
  public void transmit(SimPort from, ByteBuf packet) {
    Station s = station(from);
    int bytes = packet.readableBytes();
    s.sending.countOffered(bytes);
    if (!s.isUp) {
      drop(s, LinkDrop.DOWN, packet);
    } else if (bytes > config.mtu()) {
      drop(s, LinkDrop.TOO_BIG, packet);
    } else if (s.queue.size() >= config.queuePackets()
        || s.queue.bytes() + bytes > config.queueBytes()) {
      drop(s, LinkDrop.QUEUE_FULL, packet);
    } else {
      s.queue.add(packet, 0);
      s.sending.countQueued(s.queue.size(), s.queue.bytes());
      lineUp(s);
      if (inTheAir == null) {
        transmitTime.startBusyPeriod();
        speakNext();
      }
    }
  }

  private void lineUp(Station s) {
    if (!s.isInLine && s != speaker) { // who speaks lines up again afterwards, behind the others
      s.isInLine = true;
      line.add(s);
    }
  }

  private void speakNext() {
    while (inTheAir == null && !line.isEmpty()) {
      Station s = line.poll();
      s.isInLine = false;
      if (s.queue.isEmpty()) {
        continue; // it left the cell while waiting
      }
      speaker = s;
      inTheAir = s.queue.poll();
      network
          .events()
          .arm(departure, network.nowNanos() + transmitTime.next(config, inTheAir.readableBytes()));
    }
  }

  private void depart() {
    Station s = speaker;
    ByteBuf packet = inTheAir;
    inTheAir = null;
    speaker = null;
    if (s.isUp && !s.queue.isEmpty()) {
      lineUp(s);
    }
    if (s.isUp) {
      spread(s, packet);
    } else {
      drop(s, LinkDrop.CUT, packet);
    }
    speakNext();
  }

  private void spread(Station from, ByteBuf packet) {
    if (packet.readableBytes() < Ip6.HEADER_BYTES) {
      drop(from, LinkDrop.NO_STATION, packet);
      return;
    }
    if (Ip6.isMulticast(packet.getLong(packet.readerIndex() + Ip6.DST_L64))) {
      for (Station to : stations.values()) {
        if (to != from && to.isUp) {
          to.receiving.transmit(packet.copy());
        }
      }
      from.sending.countDelivered(packet.readableBytes());
      packet.release();
      return;
    }
    Station to = receiver(from, packet.getLong(packet.readerIndex() + Ip6.DST_NID));
    if (to == null) {
      drop(from, LinkDrop.NO_STATION, packet);
    } else {
      from.sending.countDelivered(packet.readableBytes());
      to.receiving.transmit(packet);
    }
  }

  private Station receiver(Station from, long nid) {
    Station other = null;
    for (Station s : stations.values()) {
      if (s != from) {
        if (s.port.answers(nid)) {
          return s;
        }
        other = s;
      }
    }
    if (gateway != null) {
      return gateway == from ? null : gateway;
    }
    return stations.size() == 2 ? other : null;
  }

  private void drop(Station s, LinkDrop why, ByteBuf packet) {
    s.sending.countDrop(why);
    network.dropped(s.port, why, packet);
    packet.release();
  }

  private Station station(SimPort port) {
    Station s = stations.get(port);
    if (s == null) {
      throw new IllegalArgumentException(port + " is not a station of this medium");
    }
    return s;
  }

  @Override
  public boolean isUp(SimPort port) {
    return station(port).isUp;
  }

  @Override
  public int mtu(SimPort port) {
    return config.mtu();
  }

  @Override
  public int packetsInside() {
    int sum = inTheAir == null ? 0 : 1;
    for (Station s : stations.values()) {
      sum += s.queue.size() + s.receiving.packetsInside();
    }
    return sum;
  }

  @Override
  public void close() {
    if (inTheAir != null) {
      inTheAir.release();
      inTheAir = null;
      network.events().remove(departure);
    }
    line.clear();
    for (Station s : stations.values()) {
      s.isUp = false;
      while (!s.queue.isEmpty()) {
        s.queue.poll().release();
      }
      s.receiving.close();
    }
  }
}
