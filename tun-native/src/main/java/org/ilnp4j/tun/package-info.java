/**
 * Linux system calls for a userspace network stack, through jnr-ffi: TUN devices, netlink, raw
 * ICMPv6 sockets, sysctl. Knows nothing of ILNP. Every failure is a {@code LinuxException} that
 * names the operation, the object, the error and what to do about it.
 */
package org.ilnp4j.tun;
