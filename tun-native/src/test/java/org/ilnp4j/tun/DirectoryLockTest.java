package org.ilnp4j.tun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryLockTest {
  @TempDir private Path dir;

  @Test
  void shouldLetOnlyOneIn() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    Thread second =
        new Thread(
            () -> {
              try (DirectoryLock lock = DirectoryLock.take(dir)) {
                entered.countDown();
                lock.close();
              } catch (LinuxException e) {
                throw new AssertionError(e);
              }
            });
    DirectoryLock first = DirectoryLock.take(dir);
    second.start();
    assertThat(entered.await(100, TimeUnit.MILLISECONDS)).isFalse();
    first.close();
    assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();
    second.join();
    try (var files = Files.list(dir)) {
      assertThat(files).as("nothing is left behind").isEmpty();
    }
  }

  @Test
  void shouldNameTheMissingDirectory() {
    assertThatThrownBy(() -> DirectoryLock.take(dir.resolve("no")))
        .hasMessage("cannot open directory " + dir + "/no: No such file or directory (ENOENT)");
  }
}
