/**
 * Nothing is here: the stress tests are test code, in the engine's own package. The folder of classes has to exist all the
 * same, since jcstress lists every entry of its class path.
 */
package dev.weir.stress;
