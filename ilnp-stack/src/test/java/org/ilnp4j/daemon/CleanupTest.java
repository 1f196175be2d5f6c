package org.ilnp4j.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ilnp4j.tun.Capabilities;
import org.ilnp4j.util.UserError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CleanupTest {
  @TempDir Path dir;

  @Test
  void shouldRemoveOnlySocketsOfDaemonsThatAreDead() throws Exception {
    assumeTrue(Capabilities.current().netAdmin(), "skipped: needs root");
    Path dead = deadSocket("dead.sock");
    Path text = Files.writeString(dir.resolve("text.sock"), "not a socket");
    Path living = dir.resolve("living.sock");
    try (ServerSocketChannel listener = listen(living)) {
      assertThat(listener.isOpen()).isTrue();

      assertThat(Cleanup.in(dir).run()).containsExactly("socket " + dead);

      assertThat(dead).doesNotExist();
      assertThat(text).exists();
      assertThat(living).exists();
    }
    assertThat(Cleanup.in(dir).run()).containsExactly("socket " + living);
  }

  @Test
  void shouldSayThatAPrivilegeIsMissingWhenThereIsSomethingToUndo() throws Exception {
    assertThat(new Cleanup(dir, false).run()).isEmpty();
    assertThat(new Cleanup(dir.resolve("absent"), false).run()).isEmpty();

    Path dead = deadSocket("dead.sock");
    UserError e = catchThrowableOfType(UserError.class, () -> new Cleanup(dir, false).run());

    assertThat(e.kind()).isEqualTo(UserError.Kind.MISSING);
    assertThat(e.lines()).containsExactly("no permission to clean up " + dir + "; run it as root");
    assertThat(dead).exists();
    Files.delete(dead);
    Files.writeString(dir.resolve("dead.state"), "process 1 1 x\n");
    assertThat(catchThrowableOfType(UserError.class, () -> new Cleanup(dir, false).run()).kind())
        .isEqualTo(UserError.Kind.MISSING);
  }

  private Path deadSocket(String name) throws IOException {
    Path socket = dir.resolve(name);
    listen(socket).close();
    return socket;
  }

  private static ServerSocketChannel listen(Path socket) throws IOException {
    return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(socket));
  }
}
