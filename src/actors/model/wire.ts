/** The link between the shards of a system, as the kernel needs it. */

/**
 * The link between shards of one system. A message posted may be lost as a whole; those that arrive come in order and
 * once.
 */
export interface Wire {
  /** Does nothing if the other shard is down. */
  post(shard: number, bytes: Uint8Array): void;
  /** Sets the listener for messages that arrive from now on. */
  listen(listener: (from: number, bytes: Uint8Array) => void): void;
}
