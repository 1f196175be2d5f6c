package org.ilnp4j.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The link on a real epoll loop; a pipe gives the readiness, a script what the device says. */
class TunLinkTest {
  private final CountingAllocator buffers = new CountingAllocator();
  private final Counters counters = new Counters();
  private MultiThreadIoEventLoopGroup group;
  private final List<String> calls = new ArrayList<>();
  private final List<Integer> written = new ArrayList<>();
  private final ArrayDeque<Integer> toRead = new ArrayDeque<>();
  private FileDescriptor[] pipe;
  private IoEventLoop loop;
  private TunLink link;

  /** Writes that find no room before one does. */
  private int refusals;

  private IOException writeError;
  private IOException readError;
  private int deviceCloses;
  private int deviceFd;

  /** Released when the event awaited on the loop has happened. */
  private final CountDownLatch done = new CountDownLatch(1);

  /** Not Netty's own access to raw memory: without Unsafe it has none. */
  private static Pointer memory(long address) {
    return Pointer.wrap(Runtime.getSystemRuntime(), address);
  }

  private void startLoop() {
    group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    loop = group.next();
  }

  private final class Device implements PacketDevice {
    @Override
    public String name() {
      return "scripted";
    }

    @Override
    public int fd() {
      return deviceFd;
    }

    @Override
    public int read(long address, int capacity) throws IOException {
      if (toRead.isEmpty()) {
        if (readError != null) {
          throw readError;
        }
        return 0;
      }
      int bytes = toRead.poll();
      memory(address).setMemory(0, bytes, (byte) bytes);
      return bytes;
    }

    @Override
    public int write(long address, int length) throws IOException {
      if (refusals > 0) {
        refusals--;
        return 0;
      }
      if (writeError != null) {
        throw writeError;
      }
      written.add(length);
      if (memory(address).getByte(0) != 0x60) {
        calls.add("not IPv6 at the address");
      }
      return length;
    }

    @Override
    public int writeGathered(long iovecs, int count) {
      throw new UnsupportedOperationException("opened without virtio-net header");
    }

    @Override
    public void close() {
      deviceCloses++;
    }
  }

  private final class Handler implements LinkHandler {
    @Override
    public void onPacket(ByteBuf packet, boolean checksumVouched, int segmentBytes) {
      calls.add("packet " + packet.readableBytes());
      assertThat(packet.getByte(packet.writerIndex() - 1)).isEqualTo((byte) packet.readableBytes());
      packet.release();
    }

    @Override
    public void onBatchEnd() {
      calls.add("end");
      if (toRead.isEmpty()) {
        empty();
      }
    }

    @Override
    public void onFailure(Exception cause) {
      calls.add("failed: " + cause.getMessage());
      done.countDown();
    }
  }

  @BeforeEach
  void start() throws IOException {
    assumeTrue(Epoll.isAvailable(), "skipped: no epoll on this machine");
    pipe = FileDescriptor.pipe();
    startLoop();
  }

  private void open(int fd) throws Exception {
    deviceFd = fd;
    link =
        new TunLink(new Device(), 0, 1500, loop, buffers.allocator(), new Handler(), counters)
            .start()
            .get(10, TimeUnit.SECONDS);
  }

  /** Takes the byte out of the pipe that made the reading end ready. */
  private void empty() {
    ByteBuf one = buffers.allocator().directBuffer(1);
    try {
      pipe[0].readAddress(one.memoryAddress(), 0, 1);
    } catch (IOException e) {
      calls.add(e.getMessage());
    } finally {
      one.release();
      done.countDown();
    }
  }

  private void makeReadable() throws IOException {
    ByteBuf one = buffers.allocator().directBuffer(1).writeByte(1);
    pipe[1].writeAddress(one.memoryAddress(), 0, 1);
    one.release();
  }

  private <T> T onLoop(Callable<T> task) throws Exception {
    return loop.submit(task).get(10, TimeUnit.SECONDS);
  }

  private void send(int count) throws Exception {
    onLoop(
        () -> {
          for (int i = 0; i < count; i++) {
            link.transmit(buffers.packet(100 + i, i));
          }
          return null;
        });
  }

  @AfterEach
  void leavesNothingBehind() throws Exception {
    if (group == null) {
      return;
    }
    onLoop(
        () -> {
          link.close();
          link.close();
          return null;
        });
    assertThat(deviceCloses).isEqualTo(1);
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).get(10, TimeUnit.SECONDS);
    pipe[0].close();
    pipe[1].close();
    buffers.assertAllReleased();
  }

  @Test
  void shouldHandOverPacketsInBatchesAndLetTheLoopBreatheBetween() throws Exception {
    for (int i = 0; i < TunLink.BATCH + 3; i++) {
      toRead.add(41 + i % 50);
    }
    makeReadable();
    open(pipe[0].intValue());
    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    List<String> seen = onLoop(() -> List.copyOf(calls));
    assertThat(seen).hasSize(TunLink.BATCH + 3 + 2);
    assertThat(seen.indexOf("end")).isEqualTo(TunLink.BATCH);
    assertThat(seen.get(seen.size() - 1)).isEqualTo("end");
    assertThat(seen.get(0)).isEqualTo("packet 41");
  }

  @Test
  void shouldWriteAtOnceWhileThereIsRoom() throws Exception {
    open(pipe[1].intValue());
    send(3);
    assertThat(onLoop(() -> List.copyOf(written))).containsExactly(100, 101, 102);
  }

  @Test
  void shouldKeepPacketsInOrderUntilThereIsRoomAgain() throws Exception {
    open(pipe[1].intValue());
    refusals = 3;
    send(5);
    for (int i = 0; i < 1000 && onLoop(written::size) < 5; i++) {
      // Each round trip lets the loop poll once.
    }
    assertThat(onLoop(() -> List.copyOf(written))).containsExactly(100, 101, 102, 103, 104);
    assertThat(counters.totalDrops()).isZero();
  }

  @Test
  void shouldDropAndCountBeyondTheLimitOfTheQueue() throws Exception {
    open(pipe[0].intValue()); // never writable
    refusals = Integer.MAX_VALUE;
    send(TunLink.MAX_WAITING + 7);
    assertThat(onLoop(() -> counters.get(DropReason.OUT_QUEUE_FULL))).isEqualTo(7);
  }

  @Test
  void shouldDropAndCountWhatTheDeviceRefusesAndCarryOn() throws Exception {
    open(pipe[1].intValue());
    writeError = new IOException("write to TUN device scripted: EIO");
    send(2);
    writeError = null;
    send(1);
    assertThat(onLoop(() -> counters.get(DropReason.OUT_DEVICE))).isEqualTo(2);
    assertThat(onLoop(() -> List.copyOf(written))).containsExactly(100);
  }

  @Test
  void shouldFlattenPacketsOfSeveralParts() throws Exception {
    open(pipe[1].intValue());
    onLoop(
        () -> {
          CompositeByteBuf parts = buffers.allocator().compositeDirectBuffer();
          ByteBuf first = buffers.packet(60, 0);
          ByteBuf second = buffers.allocator().heapBuffer().writeZero(40);
          link.transmit(parts.addComponents(true, first, second));
          ByteBuf heap = buffers.allocator().heapBuffer();
          heap.writeByte(0).writeByte(0x60).writeZero(59).skipBytes(1);
          link.transmit(heap);
          return null;
        });
    assertThat(onLoop(() -> List.copyOf(written))).containsExactly(100, 60);
    assertThat(calls).isEmpty();
  }

  @Test
  void shouldCloseAndSayWhyWhenTheDeviceIsGone() throws Exception {
    readError = new IOException("read from TUN device scripted: EBADFD");
    makeReadable();
    open(pipe[0].intValue());
    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    send(1);
    assertThat(onLoop(() -> List.copyOf(calls)))
        .containsExactly("failed: read from TUN device scripted: EBADFD");
    assertThat(onLoop(() -> counters.get(DropReason.OUT_DEVICE))).isEqualTo(1);
  }

  @Test
  void shouldCloseWithItsLoop() throws Exception {
    open(pipe[0].intValue());
    // With a quiet period of 0 Netty may end the loop without a word to its handles.
    group.shutdownGracefully(10, 5_000, TimeUnit.MILLISECONDS).get(10, TimeUnit.SECONDS);
    assertThat(deviceCloses).isEqualTo(1);
    startLoop();
  }
}
