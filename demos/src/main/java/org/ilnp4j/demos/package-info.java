/** The {@code ilnp} program and the demonstration of the main job. */
package org.ilnp4j.demos;
