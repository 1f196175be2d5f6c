package org.ilnp4j.proxy;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.concurrent.atomic.AtomicLong;

/** Counts how often the loops made with it wake up. */
final class CountingIoHandlers implements IoHandlerFactory {
  private final IoHandlerFactory factory;
  private final AtomicLong wakeUps = new AtomicLong();

  CountingIoHandlers(IoHandlerFactory factory) {
    this.factory = factory;
  }

  long wakeUps() {
    return wakeUps.get();
  }

  @Override
  public IoHandler newHandler(ThreadAwareExecutor executor) {
    IoHandler handler = factory.newHandler(executor);
    return new IoHandler() {
      @Override
      public int run(IoHandlerContext context) {
        wakeUps.incrementAndGet();
        return handler.run(context);
      }

      @Override
      public void initialize() {
        handler.initialize();
      }

      @Override
      public void prepareToDestroy() {
        handler.prepareToDestroy();
      }

      @Override
      public void destroy() {
        handler.destroy();
      }

      @Override
      public IoRegistration register(IoHandle handle) throws Exception {
        return handler.register(handle);
      }

      @Override
      public void wakeup() {
        handler.wakeup();
      }

      @Override
      public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return handler.isCompatible(handleType);
      }
    };
  }
}
