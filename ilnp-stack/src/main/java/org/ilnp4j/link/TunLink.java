package org.ilnp4j.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import org.ilnp4j.tun.Poller;
import org.ilnp4j.tun.TunDevice;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TUN device on a Netty epoll loop. Each wake-up reads at most {@value #BATCH} packets into
 * pooled direct buffers, then ends the batch; epoll reports again what is left, so other work on
 * the loop gets its turn. Packets are written at once; when the kernel has no room they wait in a
 * bounded queue until epoll reports room.
 */
public final class TunLink implements Link {
  /** Packets read per wake-up. */
  static final int BATCH = 64;

  /** Packets that wait for the kernel at most; more are dropped and counted. */
  static final int MAX_WAITING = 1024;

  private static final Logger LOG = LoggerFactory.getLogger(TunLink.class);
  private static final EpollIoOps READ = EpollIoOps.EPOLLIN;
  private static final EpollIoOps READ_AND_WRITE = READ.with(EpollIoOps.EPOLLOUT);

  private final PacketDevice device;
  private final int mtu;
  private final IoEventLoop loop;
  private final ByteBufAllocator allocator;
  private final LinkHandler handler;
  private final Counters counters;
  private final PacketRing waiting = new PacketRing();
  private IoRegistration registration;

  /** A buffer made for a read that found nothing. */
  private ByteBuf spare;

  private boolean isWriteFailing;
  private boolean isClosed;

  private final class Handle implements EpollIoHandle {
    private final FileDescriptor fd = new FileDescriptor(device.fd());

    @Override
    public FileDescriptor fd() {
      return fd;
    }

    @Override
    public void handle(IoRegistration from, IoEvent event) {
      EpollIoOps ops = ((EpollIoEvent) event).ops();
      if (ops.contains(EpollIoOps.EPOLLOUT)) {
        writeWaiting();
      }
      // A device that is gone shows as an error event; reading from it says what is wrong.
      if (ops.contains(EpollIoOps.EPOLLIN) || ops.contains(EpollIoOps.EPOLLERR)) {
        readBatch();
      }
    }

    /** The loop ends. */
    @Override
    public void close() {
      TunLink.this.close();
    }
  }

  TunLink(
      PacketDevice device,
      int mtu,
      IoEventLoop loop,
      ByteBufAllocator allocator,
      LinkHandler handler,
      Counters counters) {
    this.device = device;
    this.mtu = mtu;
    this.loop = loop;
    this.allocator = allocator;
    this.handler = handler;
    this.counters = counters;
  }

  /**
   * Starts carrying packets; the link owns the device from now on, and the thread of the loop goes
   * before ordinary ones ({@link Poller#bePreferred}) where that is permitted.
   *
   * @param device opened without virtio-net header
   * @param mtu of the device, octets
   * @param loop an epoll loop; all calls to the handler come from it
   * @param allocator of the buffers read into; must give direct buffers
   * @return the link, once the loop watches the device
   */
  public static Future<TunLink> open(
      TunDevice device,
      int mtu,
      IoEventLoop loop,
      ByteBufAllocator allocator,
      LinkHandler handler,
      Counters counters) {
    if (device.offload() != TunDevice.Offload.NONE) {
      throw new IllegalArgumentException(device.name() + " has a virtio-net header before packets");
    }
    PacketDevice packets =
        new PacketDevice() {
          @Override
          public String name() {
            return device.name();
          }

          @Override
          public int fd() {
            return device.fd();
          }

          @Override
          public int read(long address, int capacity) throws IOException {
            return device.read(address, capacity);
          }

          @Override
          public int write(long address, int length) throws IOException {
            return device.write(address, length);
          }

          @Override
          public void close() {
            device.close();
          }
        };
    loop.execute(TunLink::preferThread);
    return new TunLink(packets, mtu, loop, allocator, handler, counters).start();
  }

  private static void preferThread() {
    if (!Poller.bePreferred()) {
      LOG.info("no permission to go before other threads: a busy machine will delay packets");
    }
  }

  Future<TunLink> start() {
    var started = loop.<TunLink>newPromise();
    loop.register(new Handle())
        .addListener(
            (Future<IoRegistration> f) -> {
              if (!f.isSuccess()) {
                close();
                started.setFailure(f.cause());
                return;
              }
              registration = f.getNow();
              registration.submit(waiting.isEmpty() ? READ : READ_AND_WRITE);
              started.setSuccess(this);
            });
    return started;
  }

  @Override
  public int mtu() {
    return mtu;
  }

  private void readBatch() {
    int packets = 0;
    try {
      while (packets < BATCH && !isClosed) {
        ByteBuf buf = spare == null ? allocator.directBuffer(mtu, mtu) : spare;
        spare = buf;
        int bytes = device.read(buf.memoryAddress(), buf.capacity());
        if (bytes == 0) {
          break;
        }
        spare = null;
        packets++;
        handler.onPacket(buf.writerIndex(bytes));
      }
    } catch (IOException e) {
      close();
      handler.onFailure(e);
      return;
    }
    if (packets > 0) {
      handler.onBatchEnd();
    }
  }

  @Override
  public void transmit(ByteBuf packet) {
    if (isClosed) {
      drop(packet, DropReason.OUT_DEVICE);
    } else if (waiting.isEmpty() && write(packet)) {
      packet.release();
    } else if (waiting.size() >= MAX_WAITING) {
      drop(packet, DropReason.OUT_QUEUE_FULL);
    } else {
      waiting.add(packet, 0);
      if (waiting.size() == 1 && registration != null) {
        registration.submit(READ_AND_WRITE);
      }
    }
  }

  private void writeWaiting() {
    while (!waiting.isEmpty()) {
      if (!write(waiting.peek())) {
        return;
      }
      waiting.poll().release();
    }
    if (!isClosed) {
      registration.submit(READ);
    }
  }

  /** False when the kernel has no room now; true when done with the packet, also after an error. */
  private boolean write(ByteBuf packet) {
    ByteBuf flat = packet;
    if (packet.nioBufferCount() != 1 || !packet.hasMemoryAddress()) {
      flat = allocator.directBuffer(packet.readableBytes());
      flat.writeBytes(packet, packet.readerIndex(), packet.readableBytes());
    }
    try {
      long address = flat.memoryAddress() + flat.readerIndex();
      if (device.write(address, flat.readableBytes()) == 0) {
        return false;
      }
      isWriteFailing = false;
    } catch (IOException e) {
      counters.drop(DropReason.OUT_DEVICE);
      if (!isWriteFailing) {
        isWriteFailing = true;
        LOG.warn("packets are dropped until the device takes them again: {}", e.getMessage());
      }
    } finally {
      if (flat != packet) {
        flat.release();
      }
    }
    return true;
  }

  private void drop(ByteBuf packet, DropReason reason) {
    counters.drop(reason);
    packet.release();
  }

  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    // First leave epoll: the number of a closed descriptor may belong to another file at once.
    if (registration != null) {
      registration.cancel();
    }
    try {
      device.close();
    } catch (IOException e) {
      LOG.warn("closing {}: {}", device.name(), e.getMessage());
    }
    if (spare != null) {
      spare.release();
      spare = null;
    }
    while (!waiting.isEmpty()) {
      drop(waiting.poll(), DropReason.OUT_DEVICE);
    }
  }
}
