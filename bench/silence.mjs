/**
 * A system whose turns are not recorded, to measure the cost of recording them. Bosun has no switch for it and is to
 * have none, so the tracing of one system is replaced here when it is joined to its kernel: a turn is taken, and
 * nothing else.
 */
import { Tracing } from '../dist/actors/world/tracing/tracing.js';

const SILENCE = {
  begins() {},
  breaksOff() {},
  // The turn loop uses it, with tracing or without.
  ends: () => performance.now(),
  takes() {},
  prepared() {},
  fired() {},
  buried() {},
};

/** Starts a system by `start` without tracing. Only one at a time. */
export async function withoutTracing(start) {
  const { attach } = Tracing.prototype;
  Tracing.prototype.attach = function attachSilently(parts) {
    attach.call(this, parts);
    parts.engine.onMicrostep = undefined;
    Object.assign(this, SILENCE);
  };
  try {
    return await start();
  } finally {
    Tracing.prototype.attach = attach;
  }
}
