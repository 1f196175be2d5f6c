package org.ilnp4j.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.ilnp4j.emulate.Direction;
import org.ilnp4j.link.DropPolicy;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tomlj.Toml;
import org.tomlj.TomlParseResult;

class EmulatorReaderTest {
  private static final Path SAMPLE = Path.of("..", "config", "emulate.toml");

  private static EmulatorSetup parse(String text) throws ConfigException {
    return EmulatorReader.parse("link.toml", Path.of("/tmp"), text);
  }

  private static String uncommented() throws IOException {
    return Files.readString(SAMPLE)
        .replaceAll("(?m)^#(?! |$)", "")
        // The default depends on the name and the directory; these lines only show the form.
        .replaceAll("(?m)^(socket|pcap) = .*$", "");
  }

  @Test
  void shouldAcceptTheSampleAndShowItsDefaultsAsTheyAre() throws Exception {
    EmulatorSetup sample = EmulatorReader.read(SAMPLE);
    EmulatorSetup written = EmulatorReader.parse("emulate.toml", SAMPLE.getParent(), uncommented());

    assertThat(sample.name()).isEqualTo("emulator").isEqualTo(written.name());
    assertThat(sample.controlSocket()).isEqualTo(written.controlSocket());
    assertThat(sample.controlSocket()).hasToString("/run/ilnp/emulate/emulator.sock");
    assertThat(sample.link().left()).isEqualTo(written.link().left());
    assertThat(sample.link().right()).isEqualTo(written.link().right());
    assertThat(sample.link().mtuBytes()).isEqualTo(written.link().mtuBytes());
    assertThat(sample.link().seed()).isEqualTo(written.link().seed());
    for (Direction d : Direction.values()) {
      assertThat(LinkKeys.show(sample.link().direction(d)))
          .isEqualTo(LinkKeys.show(written.link().direction(d)))
          .containsEntry("rate", "20 Mbit/s")
          .containsEntry("delay", "25 ms");
    }
  }

  @Test
  void shouldShowEveryKeyInTheSample() throws IOException {
    String text = Files.readString(SAMPLE).replaceAll("(?m)^#(?! |$)", "");
    TomlParseResult toml = Toml.parse(text);
    assertThat(toml.errors()).isEmpty();
    Set<String> known =
        EmulatorKeys.ALL.stream()
            .filter(s -> s != EmulatorKeys.LEFT_TO_RIGHT && s != EmulatorKeys.RIGHT_TO_LEFT)
            .flatMap(s -> s.keys().stream())
            .map(k -> (k.section().name.isEmpty() ? "" : k.section().name + ".") + k.name())
            .filter(k -> !k.equals("right.pcap"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(toml.dottedKeySet()).containsAll(known);
  }

  @Test
  void shouldLetADirectionWinOverBoth() throws Exception {
    EmulatorSetup s =
        parse(
            """
            [link]
            rate = "10 Mbit/s"
            loss = "1 %"
            queue = "64 KiB"
            [right-to-left]
            loss = 0.25
            drop = "codel"
            queue = "20 packets"
            """);
    LinkConfig there = s.link().leftToRight();
    LinkConfig back = s.link().rightToLeft();
    assertThat(there.rateBitsPerSecond()).isEqualTo(10_000_000);
    assertThat(there.loss()).isEqualTo(0.01);
    assertThat(there.queueBytes()).isEqualTo(65536);
    assertThat(there.dropPolicy()).isEqualTo(DropPolicy.TAIL);
    assertThat(back.rateBitsPerSecond()).isEqualTo(10_000_000);
    assertThat(back.loss()).isEqualTo(0.25);
    assertThat(back.queuePackets()).isEqualTo(20);
    assertThat(back.queueBytes()).isEqualTo(Integer.MAX_VALUE);
    assertThat(back.dropPolicy()).isEqualTo(DropPolicy.CODEL);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          [link]; rate = "20 Mbit"        | 2: link.rate: "20 Mbit" has a unit that is not known here; use bit/s, kbit/s, Mbit/s, Gbit/s
          [link]; rate = 20               | 2: link.rate: 20 has no unit; write a rate in quotes, such as "20 Mbit/s"
          [link]; loss = "150 %"          | 2: link.loss: "150 %" is more than all packets; give "0 %" to "100 %", or 0 to 1
          [link]; loss = "a lot"          | 2: link.loss: "a lot" is not a share of the packets; write it as "0.5 %" or 0.005
          [link]; queue = "5"             | 2: link.queue: "5" is not a number of packets; write it as "100 packets"
          [link]; drop = "front"          | 2: link.drop: "front" is not known; choose "tail", "head", "codel"
          [link]; los = "1 %"             | 2: link.los: is not known; did you mean "loss"?
          [left]; netns = "../x"          | 2: left.netns: "../x" is not a namespace; names are as "ip netns" shows them
          [left]; addresses = "fd00::1"   | 2: left.addresses: "fd00::1" is not a list; put its values in brackets: ["...", "..."]
          [left]; addresses = ["fd00"]    | 2: left.addresses: "fd00" is not an address; write one such as "fd00::1/64" or "10.0.0.1/24"
          [left]; routes = ["10.0.0.0/33"]| 2: left.routes: /33 is no prefix length of 10.0.0.0; 0 to 32
          [right]; device = "emu0"        | 2: right.device: "emu0" is the device of the left side too; choose another
          seed = "x"                      | 1: seed: "x" is not a whole number
          """)
  void shouldAnswerEachMistakeWithOneLine(String text, String problem) {
    assertThatThrownBy(() -> parse(text.replace("; ", "\n")))
        .isInstanceOf(ConfigException.class)
        .hasMessage("link.toml:" + problem);
  }

  @Test
  void shouldChangeOneSettingAsItIsWrittenInAFile() {
    LinkConfig c = LinkKeys.change(LinkKeys.DEFAULT, "delay", "1.5 ms");
    c = LinkKeys.change(c, "mtu", "1400");
    c = LinkKeys.change(c, "loss", "0.5%");
    c = LinkKeys.change(c, "rate", "unlimited");
    assertThat(c.delayNanos()).isEqualTo(NanoClock.millis(3) / 2);
    assertThat(LinkKeys.show(c))
        .containsEntry("delay", "1.5 ms")
        .containsEntry("mtu", "1400")
        .containsEntry("loss", "0.5 %")
        .containsEntry("rate", "unlimited");
    LinkConfig unchanged = c;
    assertThatThrownBy(() -> LinkKeys.change(unchanged, "dealy", "1 ms"))
        .hasMessage("dealy: is not known; did you mean \"delay\"?");
    assertThatThrownBy(() -> LinkKeys.change(unchanged, "mtu", "1000"))
        .hasMessage("mtu: 1000 is out of range; give 1280 to 65535");
  }

  /** What is shown can be written again. */
  @Test
  void shouldReadWhatItShows() {
    LinkConfig c =
        LinkConfig.of(1_234_567, 1_234_567)
            .withJitter(999)
            .withLoss(0.00015)
            .withBursts(0.01, 0.3, 0.9)
            .withReorder(0.02, 7_000_000)
            .withQueueBytes(12345)
            .withDropPolicy(DropPolicy.HEAD);
    LinkConfig again = LinkKeys.DEFAULT;
    for (var setting : LinkKeys.show(c).entrySet()) {
      again = LinkKeys.change(again, setting.getKey(), setting.getValue());
    }
    assertThat(LinkKeys.show(again)).isEqualTo(LinkKeys.show(c));
    assertThat(again.rateBitsPerSecond()).isEqualTo(1_234_567);
    assertThat(again.delayNanos()).isEqualTo(1_234_567);
  }
}
