/**
 * The daemon: the node as a process on Linux. {@code config} reads its configuration, {@code
 * control} answers the command line, {@code plumbing} sets the kernel up and back. Everything here
 * runs on the one event loop unless a class says otherwise.
 */
package org.ilnp4j.daemon;
