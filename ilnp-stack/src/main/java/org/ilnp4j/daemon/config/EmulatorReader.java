package org.ilnp4j.daemon.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.ilnp4j.emulate.EmulatorConfig;
import org.ilnp4j.link.LinkConfig;

/** Reads the configuration file of a link emulator. Blocks on the file. */
public final class EmulatorReader {
  private EmulatorReader() {}

  /**
   * Reads {@code file}; relative paths in it are taken from its directory.
   *
   * @throws ConfigException with every problem of the file
   * @throws IOException when it cannot be read at all
   */
  public static EmulatorSetup read(Path file) throws ConfigException, IOException {
    Path absolute = file.toAbsolutePath();
    return parse(file.toString(), absolute.getParent(), Files.readString(absolute));
  }

  /**
   * @param name of the file, for the problems
   * @param baseDir where relative paths start
   */
  public static EmulatorSetup parse(String name, Path baseDir, String text) throws ConfigException {
    ConfigDocument file = ConfigDocument.parse(name, baseDir, text, EmulatorKeys.ALL);
    EmulatorSetup setup = setup(file);
    file.problems().throwIfAny();
    return setup;
  }

  private static EmulatorSetup setup(ConfigDocument file) {
    ConfigTable top = file.top(EmulatorKeys.TOP);
    String name = top.get(EmulatorKeys.NAME);
    EmulatorConfig.Side left =
        side(file, file.table(EmulatorKeys.LEFT.section()), EmulatorKeys.LEFT);
    ConfigTable rightTable = file.table(EmulatorKeys.RIGHT.section());
    EmulatorConfig.Side right = side(file, rightTable, EmulatorKeys.RIGHT);
    if (left.namespace().equals(right.namespace()) && left.device().equals(right.device())) {
      rightTable.problem(
          EmulatorKeys.RIGHT.device(),
          "\"" + right.device() + "\" is the device of the left side too; choose another");
    }
    LinkConfig both = LinkKeys.read(LinkKeys.DEFAULT, file.table(EmulatorKeys.BOTH));
    ConfigTable control = file.table(EmulatorKeys.CONTROL);
    Path socket =
        file.path(control, EmulatorKeys.CONTROL_SOCKET)
            .orElseGet(() -> EmulatorSetup.RUN_DIR.resolve(name + ".sock"));
    ConfigFiles.checkSocket(control, EmulatorKeys.CONTROL_SOCKET, socket);
    EmulatorConfig link =
        new EmulatorConfig(
            left,
            right,
            LinkKeys.read(both, file.table(EmulatorKeys.LEFT_TO_RIGHT)),
            LinkKeys.read(both, file.table(EmulatorKeys.RIGHT_TO_LEFT)),
            top.get(EmulatorKeys.MTU),
            top.get(EmulatorKeys.SEED));
    return new EmulatorSetup(name, link, socket);
  }

  private static EmulatorConfig.Side side(
      ConfigDocument file, ConfigTable t, EmulatorKeys.End end) {
    Optional<Path> pcap = file.path(t, end.pcap());
    pcap.ifPresent(path -> ConfigFiles.checkCapture(t, end.pcap(), path));
    return new EmulatorConfig.Side(
        Optional.ofNullable(t.get(end.netns())),
        t.get(end.device()),
        t.get(end.addresses()),
        t.get(end.routes()),
        pcap);
  }
}
