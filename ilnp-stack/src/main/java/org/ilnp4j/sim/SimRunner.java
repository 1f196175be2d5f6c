package org.ilnp4j.sim;

import io.netty.channel.EventLoop;
import org.ilnp4j.netty.HostDriver;

/** Lets Netty channels, and so the proxies, use a host of a simulated network in real time. */
public final class SimRunner extends HostDriver {
  private final RealTimeDriver driver;

  /**
   * @param loop the one the driver runs on
   */
  public SimRunner(EventLoop loop, RealTimeDriver driver, SimHost host) {
    super(loop, host.host());
    this.driver = driver;
  }

  @Override
  public long now() {
    return driver.nowNanos();
  }

  @Override
  public void wake() {
    driver.wake();
  }
}
