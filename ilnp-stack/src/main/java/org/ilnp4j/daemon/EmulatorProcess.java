package org.ilnp4j.daemon;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.daemon.config.EmulatorSetup;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.daemon.control.ControlServer;
import org.ilnp4j.emulate.Emulator;
import org.ilnp4j.tun.Errno;
import org.ilnp4j.tun.LinuxException;
import org.ilnp4j.util.UserError;

/** A link emulator as a process: the emulator and its control endpoint, each on its own thread. */
public final class EmulatorProcess implements AutoCloseable {
  private final Emulator emulator;
  private final MultiThreadIoEventLoopGroup loop;
  private final ControlServer control;
  private boolean isClosed;

  private EmulatorProcess(
      Emulator emulator, MultiThreadIoEventLoopGroup loop, ControlServer control) {
    this.emulator = emulator;
    this.loop = loop;
    this.control = control;
  }

  /**
   * Runs until a signal, the control endpoint, or a failure ends it; everything is taken back then.
   *
   * @param onReady called when packets are forwarded and the endpoint answers
   * @throws UserError when the user can mend what stopped it
   */
  public static void run(EmulatorSetup setup, Runnable onReady)
      throws UserError, IOException, InterruptedException {
    try (EmulatorProcess process = start(setup)) {
      Thread undo = new Thread(process::close, "undo");
      Runtime.getRuntime().addShutdownHook(undo);
      onReady.run();
      process.emulator.await();
    }
  }

  private static EmulatorProcess start(EmulatorSetup setup) throws UserError, IOException {
    if (ControlClient.isAnswering(setup.controlSocket())) {
      throw new UserError(
          UserError.Kind.FAILED,
          "an emulator answers at "
              + setup.controlSocket()
              + " already; end it with: ilnp emulate stop --socket "
              + setup.controlSocket()
              + "; or give this one another name");
    }
    Emulator emulator;
    try {
      emulator = Emulator.start(setup.link());
    } catch (LinuxException e) {
      boolean lacksPrivilege = e.errno() == Errno.EPERM || e.errno() == Errno.EACCES;
      throw new UserError(
          lacksPrivilege ? UserError.Kind.MISSING : UserError.Kind.FAILED,
          List.of(e.getMessage()),
          e);
    }
    MultiThreadIoEventLoopGroup loop =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try {
      ControlServer control =
          ControlServer.open(
              loop.next(), setup.controlSocket(), new EmulatorCommands(setup, emulator));
      return new EmulatorProcess(emulator, loop, control);
    } catch (IOException | RuntimeException e) {
      emulator.close();
      loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw e;
    }
  }

  /** Idempotent: a signal may come when it is over already. */
  @Override
  public synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    emulator.close();
    control.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
