package org.ilnp4j.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoriesTest {
  @Test
  void shouldSayInOneLineWhyADirectoryCannotBeMade(@TempDir Path dir) throws IOException {
    Path file = Files.writeString(dir.resolve("file"), "");
    assertThatThrownBy(() -> Directories.create("state.dir", file))
        .hasMessage(
            "state.dir: cannot make the directory %s, since %s is a file; choose another",
            file, file);
    assertThatThrownBy(() -> Directories.create("state.dir", Path.of("/proc/nope")))
        .hasMessageStartingWith("state.dir: cannot make the directory /proc/nope")
        .hasMessageEndingWith("; choose another")
        .message()
        .doesNotContain("Exception");

    Directories.create("state.dir", dir.resolve("a/b"));
    Directories.create("state.dir", dir.resolve("a/b"));
    assertThat(dir.resolve("a/b")).isDirectory();
  }
}
