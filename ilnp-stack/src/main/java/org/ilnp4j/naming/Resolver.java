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

  /** The name of a node, for people, as far as it is known without asking anybody; or null. */
  default String nameOf(long nid) {
    return null;
  }

  /** Asks {@code next} for names that this one does not know. */
  default Resolver orElse(Resolver next) {
    Resolver first = this;
    return new Resolver() {
      @Override
      public Future<Destination> resolve(String name, EventExecutor executor) {
        Promise<Destination> answer = executor.newPromise();
        first
            .resolve(name, executor)
            .addListener(
                (Future<Destination> found) -> {
                  if (found.cause() instanceof UnknownHostException) {
                    next.resolve(name, executor)
                        .addListener((Future<Destination> second) -> copy(second, answer));
                  } else {
                    copy(found, answer);
                  }
                });
        return answer;
      }

      @Override
      public String nameOf(long nid) {
        String name = first.nameOf(nid);
        return name != null ? name : next.nameOf(nid);
      }
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
