package org.ilnp4j.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import org.junit.jupiter.api.Test;

class BufferLeaksTest {
  private final BufferLeaks leaks = new BufferLeaks();

  @Test
  void shouldReportBufferThatIsNotReleased() {
    ByteBuf buf = leaks.allocator().directBuffer(8).writeInt(0xcafe);
    assertThatThrownBy(leaks::assertNoneLeft)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("1 buffers")
        .hasMessageContaining("0000cafe");
    buf.release();
    assertThatCode(leaks::assertNoneLeft).doesNotThrowAnyException();
  }

  @Test
  void shouldSeeSlicesCopiesAndCompositesOfItsBuffers() {
    ByteBuf buf = leaks.allocator().buffer(8).writeLong(1);
    ByteBuf slice = buf.retainedSlice(0, 4);
    ByteBuf copy = buf.copy();
    CompositeByteBuf composite = leaks.allocator().compositeBuffer();
    composite.addComponent(true, buf);
    assertThat(leaks.live()).isEqualTo(3);
    composite.release();
    assertThat(leaks.live()).isEqualTo(2);
    slice.release();
    assertThat(leaks.live()).isEqualTo(1);
    copy.release();
    assertThat(leaks.live()).isZero();
  }

  @Test
  void shouldForgetReleasedBuffersAlongTheWay() {
    for (int i = 0; i < 10_000; i++) {
      leaks.allocator().heapBuffer(16).release();
    }
    assertThat(leaks.live()).isZero();
  }
}
