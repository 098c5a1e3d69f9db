/**
 * The view of an actor that may not be born yet: null until its birth is durable, then the view of the actor, for good.
 * Until then it looks at the address after each epoch.
 */
import { type Cursor } from '../protocol/protocol.ts';
import { type EpochWatch } from './epoch-watch.ts';
import { type StateTopic, type View } from './topic.ts';

/** The position before a birth. No actor's cursor has this epoch. */
const UNBORN: Cursor = { epoch: 'unborn', seq: 0 };

const NOBODY: View = { at: UNBORN, d: null };

export interface AwaitedViewParts {
  /** The topic of the actor, which throws while nobody lives at its address. */
  readonly topic: StateTopic;
  readonly isBorn: () => boolean;
  readonly epochs: EpochWatch;
}

export function awaitedView({ topic, isBorn, epochs }: AwaitedViewParts): StateTopic {
  let isThere = false;
  return {
    maxHz: topic.maxHz,
    view: () => {
      isThere ||= isBorn();
      return isThere ? topic.view() : NOBODY;
    },
    watch(changed, ended) {
      if (isThere) return topic.watch(changed, ended);
      let stop = epochs.watch(() => {
        isThere ||= isBorn();
        if (!isThere) return;
        stop();
        stop = topic.watch(changed, ended);
        changed();
      });
      return () => stop();
    },
  };
}
