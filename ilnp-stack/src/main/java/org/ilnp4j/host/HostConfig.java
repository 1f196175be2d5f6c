package org.ilnp4j.host;

import org.ilnp4j.mobility.MobilityConfig;
import org.ilnp4j.tcp.TcpConfig;

/**
 * Settings of one node.
 *
 * @param nid its Node Identifier
 * @param mtu of the links, octets, at least 1280
 * @param nonceBytes 4 or 12: what it draws for sessions it opens
 * @param maxCorrespondents ILCC entries
 */
public record HostConfig(
    long nid,
    int mtu,
    int nonceBytes,
    int maxCorrespondents,
    TcpConfig tcp,
    MobilityConfig mobility) {
  public static HostConfig of(long nid, MobilityConfig mobility) {
    return new HostConfig(nid, 1500, 12, 65_536, TcpConfig.DEFAULT, mobility);
  }

  public HostConfig withTcp(TcpConfig newTcp) {
    return new HostConfig(nid, mtu, nonceBytes, maxCorrespondents, newTcp, mobility);
  }
}
