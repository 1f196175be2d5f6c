package org.ilnp4j.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.ilnp4j.ip6.GatheredPacket;
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
 *
 * <p>With a virtio-net header before each packet, super-segments pass in both directions, and
 * packets in pieces are written without putting them together.
 */
public final class TunLink implements Link {
  /** Packets read per wake-up. */
  static final int BATCH = 64;

  /** Packets that wait for the kernel at most; more are dropped and counted. */
  static final int MAX_WAITING = 1024;

  /** More pieces than this are put together before they are written. */
  private static final int MOST_PIECES = 254;

  /** Packets up to this size are copied out of the large buffer they are read into. */
  private static final int SMALL_BYTES = 2048;

  private static final Logger LOG = LoggerFactory.getLogger(TunLink.class);
  private static final EpollIoOps READ = EpollIoOps.EPOLLIN;
  private static final EpollIoOps READ_AND_WRITE = READ.with(EpollIoOps.EPOLLOUT);

  /** Of the first {@code struct iovec}. */
  private static final int IOVECS_OFFSET = 16;

  private final PacketDevice device;
  private final int mtu;
  private final IoEventLoop loop;
  private final ByteBufAllocator allocator;
  private final LinkHandler handler;
  private final Counters counters;

  /** Octets before each packet on the device. */
  private final int prefixBytes;

  /** A virtio-net header, then {@code struct iovec} for it, the headers and the pieces. */
  private final ByteBuf iovecMemory =
      Unpooled.directBuffer(IOVECS_OFFSET + (MOST_PIECES + 2) * TunDevice.IOVEC_BYTES);

  private final long iovecsAddress = iovecMemory.memoryAddress();
  private final ByteBuffer iovecs =
      iovecMemory.nioBuffer(0, iovecMemory.capacity()).order(ByteOrder.nativeOrder());

  /** Whole frames of the device. */
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
      int prefixBytes,
      int mtu,
      IoEventLoop loop,
      ByteBufAllocator allocator,
      LinkHandler handler,
      Counters counters) {
    this.device = device;
    this.prefixBytes = prefixBytes;
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
          public int writeGathered(long pieces, int count) throws IOException {
            return device.writeGathered(pieces, count);
          }

          @Override
          public void close() {
            device.close();
          }
        };
    loop.execute(TunLink::preferThread);
    int prefix = device.offload() == TunDevice.Offload.NONE ? 0 : VnetHeader.BYTES;
    return new TunLink(packets, prefix, mtu, loop, allocator, handler, counters).start();
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
    int capacity = prefixBytes == 0 ? mtu : prefixBytes + Segmentation.MOST_BYTES;
    try {
      while (packets < BATCH && !isClosed) {
        ByteBuf buf = spare == null ? allocator.directBuffer(capacity, capacity) : spare;
        spare = buf;
        int bytes = device.read(buf.memoryAddress(), buf.capacity());
        if (bytes == 0) {
          break;
        }
        packets++;
        if (prefixBytes == 0) {
          spare = null;
          handler.onPacket(buf.writerIndex(bytes), false, 0);
        } else {
          unwrap(buf, bytes);
        }
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

  /** Takes the prefix off, and hands on a packet in a buffer that is not much larger. */
  private void unwrap(ByteBuf frame, int bytes) {
    if (bytes <= prefixBytes) {
      counters.drop(DropReason.IP_TRUNCATED);
      return;
    }
    boolean vouched = VnetHeader.isChecksumVouched(frame, 0);
    int segmentBytes = VnetHeader.segmentBytes(frame, 0);
    ByteBuf packet;
    if (bytes <= SMALL_BYTES) {
      packet = allocator.directBuffer(bytes - prefixBytes);
      packet.writeBytes(frame, prefixBytes, bytes - prefixBytes);
    } else {
      spare = null;
      packet = frame.setIndex(prefixBytes, bytes);
    }
    handler.onPacket(packet, vouched, segmentBytes);
  }

  @Override
  public void transmit(ByteBuf packet) {
    if (isClosed) {
      drop(packet, DropReason.OUT_DEVICE);
    } else if (waiting.isEmpty() && write(packet)) {
      packet.release();
    } else {
      await(prefixBytes == 0 ? packet : withPlainHeader(packet));
    }
  }

  @Override
  public int gatherBytes() {
    return prefixBytes == 0 ? 0 : Segmentation.MOST_BYTES;
  }

  @Override
  public void transmit(GatheredPacket packet) {
    if (isClosed) {
      counters.drop(DropReason.OUT_DEVICE);
      return;
    }
    VnetHeader.write(iovecs, 0, packet);
    if (!waiting.isEmpty()
        || packet.pieces() > MOST_PIECES
        || !writeGathered(packet.head(), packet)) {
      ByteBuf frame = packet.flatten(allocator, prefixBytes);
      frame.readerIndex(0).setBytes(0, iovecs.duplicate().clear().limit(prefixBytes));
      if (waiting.isEmpty() && writeFrame(frame)) {
        frame.release();
      } else {
        await(frame);
      }
    }
  }

  private ByteBuf withPlainHeader(ByteBuf packet) {
    ByteBuf frame = allocator.directBuffer(prefixBytes + packet.readableBytes());
    frame.writeZero(prefixBytes).writeBytes(packet, packet.readerIndex(), packet.readableBytes());
    packet.release();
    return frame;
  }

  private void await(ByteBuf frame) {
    if (waiting.size() >= MAX_WAITING) {
      drop(frame, DropReason.OUT_QUEUE_FULL);
      return;
    }
    waiting.add(frame, 0);
    if (waiting.size() == 1 && registration != null) {
      registration.submit(READ_AND_WRITE);
    }
  }

  private void writeWaiting() {
    while (!waiting.isEmpty()) {
      if (!writeFrame(waiting.peek())) {
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
      if (prefixBytes == 0) {
        return writeFrame(flat);
      }
      VnetHeader.writePlain(iovecs, 0);
      return writeGathered(flat, null);
    } finally {
      if (flat != packet) {
        flat.release();
      }
    }
  }

  /** As {@link #write}, for the prefix at the start of {@link #iovecs}, a buffer, and pieces. */
  private boolean writeGathered(ByteBuf head, GatheredPacket pieces) {
    iovec(0, iovecsAddress, prefixBytes);
    iovec(1, head.memoryAddress() + head.readerIndex(), head.readableBytes());
    int count = pieces == null ? 0 : pieces.pieces();
    for (int i = 0; i < count; i++) {
      ByteBuf piece = pieces.piece(i);
      if (!piece.hasMemoryAddress()) {
        return false; // the caller puts it together
      }
      iovec(2 + i, piece.memoryAddress() + pieces.index(i), pieces.length(i));
    }
    try {
      boolean done = device.writeGathered(iovecsAddress + IOVECS_OFFSET, 2 + count) != 0;
      isWriteFailing &= !done;
      return done;
    } catch (IOException e) {
      onWriteFailure(e);
      return true;
    }
  }

  private void iovec(int i, long address, int length) {
    int at = IOVECS_OFFSET + i * TunDevice.IOVEC_BYTES;
    iovecs.putLong(at, address).putLong(at + Long.BYTES, length);
  }

  /** As {@link #write}, for a buffer that is one whole frame in one piece of memory. */
  private boolean writeFrame(ByteBuf frame) {
    try {
      if (device.write(frame.memoryAddress() + frame.readerIndex(), frame.readableBytes()) == 0) {
        return false;
      }
      isWriteFailing = false;
    } catch (IOException e) {
      onWriteFailure(e);
    }
    return true;
  }

  private void onWriteFailure(IOException e) {
    counters.drop(DropReason.OUT_DEVICE);
    if (!isWriteFailing) {
      isWriteFailing = true;
      LOG.warn("packets are dropped until the device takes them again: {}", e.getMessage());
    }
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
    iovecMemory.release();
  }
}
