package org.ilnp4j.daemon.plumbing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.ilnp4j.daemon.plumbing.PlumbingState.Change;
import org.ilnp4j.tun.DirectoryLock;
import org.ilnp4j.tun.Ip6Address;
import org.ilnp4j.tun.Netlink;
import org.ilnp4j.tun.Route;
import org.ilnp4j.tun.Rule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlumbingStateTest {
  private static final long NID = 0x0214_4fff_feab_cd01L;
  private static final String FORWARDING = "net/ipv6/conf/all/forwarding";

  @TempDir private Path dir;

  private PlumbingState state(ProcessIdentity process) {
    return new PlumbingState(PlumbingState.fileOf(dir, "one"), process, "77", NID, 17_700);
  }

  @Test
  void shouldReadWhatItWrote() throws IOException {
    PlumbingState s = state(ProcessIdentity.current());
    s.guard = true;
    s.changes.put("net/ipv6/conf/w1/accept_ra", new Change("1", "2"));
    s.changes.put(FORWARDING, new Change("0", "1"));
    s.changes.put("gro/w1", new Change("on", "off"));
    s.save();
    s.save();
    assertThat(PlumbingState.loadAll(dir))
        .singleElement()
        .satisfies(
            r -> {
              assertThat(r.instance()).isEqualTo("one");
              assertThat(r.process).isEqualTo(s.process);
              assertThat(r.namespace).isEqualTo("77");
              assertThat(r.nid).isEqualTo(NID);
              assertThat(r.tableBase).isEqualTo(17_700);
              assertThat(r.guard).isTrue();
              assertThat(r.changes).containsExactlyEntriesOf(s.changes);
            });
    s.delete();
    try (var files = Files.list(dir)) {
      assertThat(files).isEmpty();
    }
    assertThat(PlumbingState.loadAll(dir.resolve("nowhere"))).isEmpty();
  }

  @Test
  void shouldSayWhichFileIsDamaged() throws IOException {
    Path file = PlumbingState.fileOf(dir, "one");
    Files.writeString(file, "process many\n");
    assertThatThrownBy(() -> PlumbingState.loadAll(dir))
        .isInstanceOf(IOException.class)
        .hasMessage(
            file + " is damaged; restore the kernel settings in it by hand, then delete it");
  }

  @Test
  void shouldTakeNoSettingFromTheFileThatTheDaemonNeverChanges() throws IOException {
    state(ProcessIdentity.current()).save();
    Path file = PlumbingState.fileOf(dir, "one");
    Files.writeString(file, Files.readString(file) + "setting kernel/core_pattern evil core\n");
    assertThat(PlumbingState.loadAll(dir).get(0).changes).isEmpty();
  }

  @Test
  void shouldTellTheLivingFromTheDead() throws Exception {
    ProcessIdentity self = ProcessIdentity.current();
    assertThat(self.isAlive()).isTrue();
    assertThat(new ProcessIdentity(self.pid(), self.startTicks() + 1, self.bootId()).isAlive())
        .as("another process with our number")
        .isFalse();
    assertThat(new ProcessIdentity(self.pid(), self.startTicks(), "another boot").isAlive())
        .isFalse();
    Process p = new ProcessBuilder("true").start();
    long pid = p.pid();
    p.waitFor();
    assertThat(new ProcessIdentity(pid, self.startTicks(), self.bootId()).isAlive()).isFalse();
  }

  @Test
  void shouldForgetRecordsOfAnEarlierBoot() throws IOException {
    state(new ProcessIdentity(1, 1, "another boot")).save();
    try (Netlink netlink = Netlink.open();
        DirectoryLock lock = DirectoryLock.take(dir)) {
      assertThat(Undo.leftovers(dir, netlink, lock)).isEmpty();
    }
    assertThat(PlumbingState.loadAll(dir)).isEmpty();
  }

  @Test
  void shouldTakeTableNumbersThatNobodyUses() {
    assertThat(Slots.freeBase(List.of(), List.of(), List.of())).contains(17_600);
    assertThat(
            Slots.freeBase(
                List.of(state(new ProcessIdentity(1, 1, "b"))),
                List.of(Rule.lookup(17_610, 5), Rule.lookup(5, 17_800)),
                List.of(Route.defaultVia(Ip6Address.parse("fe80::1"), 1, 17_963))))
        .isEqualTo(Optional.of(18_000));
  }

  @Test
  void shouldHaveRoomForALimitedNumberOfLocators() {
    Slots slots = new Slots(17_600);
    for (int i = 1; i < Slots.COUNT; i++) {
      Ip6Address a = new Ip6Address(i, NID);
      int slot = slots.find("w1", a);
      assertThat(slot).isEqualTo(i);
      slots.set(slot, new Slots.Wanted("w1", a, Ip6Address.parse("fe80::1")));
    }
    assertThat(slots.find("w2", new Ip6Address(1, NID))).as("full").isZero();
    assertThat(slots.find("w1", new Ip6Address(7, NID))).isEqualTo(7);
    slots.set(9, null);
    assertThat(slots.find("w2", new Ip6Address(1, NID))).isEqualTo(9);
  }

  @Test
  void shouldRefuseANameThatIsNoFileName() {
    assertThatThrownBy(() -> new PlumbingPlan("../x", "t", 1500, NID, List.of(), dir))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"../x\" is no name for a daemon: use letters, digits, - and _");
  }
}
