/**
 * The {@code ilnp} command. Text for people on standard output by default, one JSON object with
 * {@code --json}; everything else goes to standard error. A mistake of the user is one line there,
 * without a stack trace, and an exit status of {@link org.ilnp4j.cli.ExitStatus}.
 */
package org.ilnp4j.cli;
