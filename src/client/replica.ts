/** The client's copy of a view of the mode `state`: applies frames, and reports what changed. */
import { patched } from '../gateway/protocol/patch.ts';
import { type Cursor } from '../gateway/protocol/protocol.ts';
import { type TopicFrame } from './subscribed-topics.ts';

/**
 * The effect of a frame. `new`: the view has changed. `same`: the known view is current. `misfit`: something was
 * missed, and the subscription must begin anew. `nothing`: the frame does not concern the view.
 */
export type ReplicaChange = 'new' | 'same' | 'misfit' | 'nothing';

export class Replica<View> {
  view: View | undefined;
  /** The copy's cursor; undefined if the next subscription must begin with the whole view. */
  at: Cursor | undefined;

  hear(frame: TopicFrame): ReplicaChange {
    if (frame.t === 'snap') {
      this.at = frame.at;
      if (frame.recovered) return 'same';
      this.view = frozen(frame.d) as View;
      return 'new';
    }
    if (frame.t !== 'delta') return 'nothing';
    const next = frame.prev === this.at?.seq ? tried(this.view, frame.ops) : undefined;
    this.at = next === undefined ? undefined : frame.at;
    if (next === undefined) return 'misfit';
    this.view = frozen(next) as View;
    return 'new';
  }
}

/** Freezes a view but for its parts that are frozen already: readers that changed it would change later views. */
function frozen(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value))
    Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** The patched view; undefined if the patch does not fit. */
function tried(view: unknown, ops: Parameters<typeof patched>[1]): unknown {
  try {
    return patched(view, ops);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
