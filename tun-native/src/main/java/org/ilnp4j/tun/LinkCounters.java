package org.ilnp4j.tun;

/**
 * What the kernel has counted on a network interface, from its own point of view: what it transmits
 * to a TUN device is what a program reads.
 *
 * @param link the interface index
 * @param rxPackets packets received
 * @param txPackets packets transmitted
 * @param rxDropped received packets that the kernel had no room for
 * @param txDropped packets it could not transmit: on a TUN device, those its reader was too slow
 *     for
 */
public record LinkCounters(
    int link, long rxPackets, long txPackets, long rxDropped, long txDropped) {}
