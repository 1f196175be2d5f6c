package org.ilnp4j.cli;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.function.Consumer;
import org.ilnp4j.daemon.DaemonLauncher;
import org.ilnp4j.daemon.Version;
import org.ilnp4j.util.UserError;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The top of the command line; its parts are the subcommands. */
@Command(
    name = "ilnp",
    description = "An ILNPv6 host: TCP sessions that move between links.",
    mixinStandardHelpOptions = true,
    versionProvider = Ilnp.VersionText.class,
    scope = ScopeType.INHERIT,
    synopsisSubcommandLabel = "COMMAND",
    optionListHeading = "%nOptions:%n",
    parameterListHeading = "%nParameters:%n",
    commandListHeading = "%nCommands:%n",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:it worked",
      "1:it did not work: no daemon, unknown name, port taken, refused",
      "2:the command line or the configuration is wrong",
      "3:a privilege, a device or a tool is missing"
    })
public final class Ilnp implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show the stack trace of an error.")
  private boolean debug;

  private Ilnp() {}

  /**
   * The command line, ready to execute.
   *
   * @param launcher runs daemons
   * @param logLevel sets the level of the program's log: error, warn, info, debug, trace
   */
  public static CommandLine commandLine(DaemonLauncher launcher, Consumer<String> logLevel) {
    Ilnp top = new Ilnp();
    return new CommandLine(top)
        .addSubcommand(new DaemonCommand(launcher, logLevel))
        .addSubcommand(new StatusCommand())
        .addSubcommand(new SessionsCommand())
        .addSubcommand(new LocatorsCommand())
        .addSubcommand(new HandoffCommand())
        .addSubcommand(new PingCommand())
        .addSubcommand(new StopCommand())
        .addSubcommand(new CleanupCommand(launcher))
        .addSubcommand(new EmulateCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpLongOptionsMaxWidth(24)
        .setParameterExceptionHandler(Ilnp::wrongUsage)
        .setExecutionExceptionHandler(top::failed);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  private static int wrongUsage(ParameterException e, String[] args) {
    CommandLine where = e.getCommandLine();
    String what = e.getMessage();
    if (e instanceof UnmatchedArgumentException unmatched
        && !unmatched.getSuggestions().isEmpty()) {
      what += "; did you mean \"" + unmatched.getSuggestions().get(0) + "\"?";
    }
    String command = where.getCommandSpec().qualifiedName();
    where.getErr().println("ilnp: " + what.replace('\n', ' ') + "; see: " + command + " --help");
    return ExitStatus.USAGE;
  }

  private int failed(Exception e, CommandLine where, ParseResult parsed) {
    int status = ExitStatus.FAILED;
    if (e instanceof UserError error) {
      error.lines().forEach(line -> where.getErr().println("ilnp: " + line));
      status = ExitStatus.of(error.kind());
    } else {
      where.getErr().println("ilnp: " + describe(e) + (debug ? "" : "; --debug shows where"));
    }
    if (debug) {
      e.printStackTrace(where.getErr());
    }
    return status;
  }

  /** An IOException of ours is a sentence; others need their type to be understood. */
  private static String describe(Exception e) {
    boolean sentence =
        e instanceof IOException
            && !(e instanceof FileSystemException)
            && e.getMessage() != null
            && e.getMessage().indexOf(' ') > 0;
    return (sentence ? e.getMessage() : e.toString()).replace('\n', ' ');
  }

  /** What {@code --version} says. */
  static final class VersionText implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      Version v = Version.current();
      return new String[] {
        "ilnp " + v.number() + " (commit " + v.commit() + ", Java " + Runtime.version() + ")"
      };
    }
  }
}
