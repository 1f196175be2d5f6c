package org.ilnp4j.naming;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.UnknownHostException;

/** Finds what a name stands for. */
@FunctionalInterface
public interface Resolver {
  /**
   * Looks {@code name} up. Callable on any thread; never blocks for the network.
   *
   * @param executor notifies the listeners of the answer
   * @return fails with {@link UnknownHostException} when there is no such name, and with another
   *     exception, whose message is one clear line, when the name cannot be used or the lookup
   *     itself failed
   */
  Future<Destination> resolve(String name, EventExecutor executor);

  /** Asks {@code next} for names that this one does not know. */
  default Resolver orElse(Resolver next) {
    return (name, executor) -> {
      Promise<Destination> answer = executor.newPromise();
      resolve(name, executor)
          .addListener(
              (Future<Destination> first) -> {
                if (first.cause() instanceof UnknownHostException) {
                  next.resolve(name, executor)
                      .addListener((Future<Destination> second) -> copy(second, answer));
                } else {
                  copy(first, answer);
                }
              });
      return answer;
    };
  }

  private static void copy(Future<Destination> from, Promise<Destination> to) {
    if (from.isSuccess()) {
      to.trySuccess(from.getNow());
    } else {
      to.tryFailure(from.cause());
    }
  }
}
