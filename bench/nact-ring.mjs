/** nact as a contender: a ring of its actors, in memory, that pass tokens on and count them. */
import nact from 'nact';

/**
 * @returns `pass(tokens, hops)`, which resolves when the last token has made its last hop; `hops()`, counted by the
 *   actors; `close`.
 */
export function nactRing(relays) {
  const system = nact.start();
  const ring = [];
  const counts = new Uint32Array(relays);
  let over = () => {};
  for (let index = 0; index < relays; index++) {
    const relay = (state, { left }) => {
      // The state is new with every message, as a machine's context is.
      const next = { hops: state.hops + 1 };
      counts[index] = next.hops;
      if (left > 1) nact.dispatch(ring[(index + relays - 1) % relays], { type: 'relay.hop', left: left - 1 });
      else over();
      return next;
    };
    ring.push(nact.spawn(system, relay, `relay-${index}`, { initialState: { hops: 0 } }));
  }
  return {
    pass(tokens, hops) {
      return new Promise((resolve) => {
        let left = tokens;
        over = () => {
          left -= 1;
          if (left === 0) resolve();
        };
        for (let token = 0; token < tokens; token++)
          nact.dispatch(ring[Math.floor((token * relays) / tokens)], { type: 'relay.hop', left: hops });
      });
    },
    hops: () => counts.reduce((sum, count) => sum + count, 0),
    close: () => nact.stop(system),
  };
}
