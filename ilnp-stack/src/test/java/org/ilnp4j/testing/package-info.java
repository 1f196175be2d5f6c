/** Fixtures for tests of all packages. */
package org.ilnp4j.testing;
