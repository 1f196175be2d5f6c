/**
 * How the command line talks to a running daemon: a Unix domain socket with mode 0600 that answers
 * root and the daemon's own user. One JSON object a line each way: to {@code {"command": "status"}}
 * come any number of {@code {"result": {…}}}, then {@code {"ok": true}} or {@code {"ok": false,
 * "error": "…"}}. Field names are those of the records here in snake case, and do not change
 * silently.
 */
package org.ilnp4j.daemon.control;
