/**
 * A view of the mode `state`, kept as the gateway has it: frames go in, and what they mean for what is known comes out.
 */
import { patched } from '../gateway/protocol/patch.ts';
import { type Cursor } from '../gateway/protocol/protocol.ts';
import { type TopicFrame } from './subscribed-topics.ts';

/**
 * `new`: there is another view than before. `same`: what is known is what there is. `misfit`: something was missed, and
 * the subscription has to begin anew. `nothing`: the frame says nothing of the view.
 */
export type ReplicaChange = 'new' | 'same' | 'misfit' | 'nothing';

export class Replica<View> {
  view: View | undefined;
  /** Where it stands; undefined where the next subscription begins with all of it. */
  at: Cursor | undefined;

  hear(frame: TopicFrame): ReplicaChange {
    if (frame.t === 'snap') {
      this.at = frame.at;
      if (frame.recovered) return 'same';
      this.view = frame.d as View;
      return 'new';
    }
    if (frame.t !== 'delta') return 'nothing';
    const next = frame.prev === this.at?.seq ? tried(this.view, frame.ops) : undefined;
    this.at = next === undefined ? undefined : frame.at;
    if (next === undefined) return 'misfit';
    this.view = next as View;
    return 'new';
  }
}

/** undefined where the patch does not fit. */
function tried(view: unknown, ops: Parameters<typeof patched>[1]): unknown {
  try {
    return patched(view, ops);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
