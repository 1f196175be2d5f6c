/** Benchmarks: figures of the parts of ilnp4j itself, as the reports of experiments. */
package org.ilnp4j.demos.bench;
