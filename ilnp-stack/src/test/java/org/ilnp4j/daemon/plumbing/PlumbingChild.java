package org.ilnp4j.daemon.plumbing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.ilnp4j.ilnp.Nid;
import org.ilnp4j.tun.TunDevice;
import org.ilnp4j.tun.TunDevice.Offload;

/** A daemon without a stack, to be killed: sets everything up, says "ready" and waits. */
final class PlumbingChild {
  private PlumbingChild() {}

  /** Arguments: instance, NID, state directory, uplink, then its Locator and router as hex. */
  public static void main(String[] args) throws IOException {
    String uplink = args[3];
    TunDevice tun = TunDevice.open("ilnp%d", Offload.NONE);
    KernelPlumbing plumbing =
        KernelPlumbing.start(
            new PlumbingPlan(
                args[0], tun.name(), 1500, Nid.parse(args[1]), List.of(uplink), Path.of(args[2])),
            u -> {});
    long l64 = Long.parseUnsignedLong(args[4], 16);
    boolean installed = plumbing.install(uplink, l64, 0xfe80_0000_0000_0000L, 1);
    System.out.println(installed ? "ready" : "refused");
    int end = System.in.read();
    plumbing.close();
    tun.close();
    System.out.println("closed " + end);
  }
}
