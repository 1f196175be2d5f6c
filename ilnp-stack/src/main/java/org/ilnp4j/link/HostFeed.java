package org.ilnp4j.link;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import org.ilnp4j.netty.HostLoop;

/** Carries what a link reads into the host on the same loop. */
public final class HostFeed implements LinkHandler {
  private final HostLoop runner;
  private final Consumer<Exception> failure;

  /**
   * @param failure told when the device fails
   */
  public HostFeed(HostLoop runner, Consumer<Exception> failure) {
    this.runner = runner;
    this.failure = failure;
  }

  @Override
  public void onPacket(ByteBuf packet, boolean checksumVouched, int segmentBytes) {
    runner.host().onPacket(runner.now(), packet, checksumVouched, segmentBytes);
  }

  @Override
  public void onBatchEnd() {
    runner.endTurn();
  }

  @Override
  public void onFailure(Exception cause) {
    failure.accept(cause);
  }
}
