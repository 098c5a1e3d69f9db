/** A desk, found in the tree by its agent and watched: wherever a tree has it. */
import type { ActorView, TreeBranch } from '../../gateway/protocol/views.ts';
import { findNode } from '../tree/find.ts';
import { useTopic } from '../use.ts';
import { type ShownRef } from './desk-shapes.ts';

export interface Desk {
  /** `unknown` until the tree has been seen. */
  readonly presence: 'unknown' | 'absent' | 'present';
  readonly address: string;
  /** Undefined until it has been read. */
  readonly view: ActorView | undefined;
  readonly context: unknown;
}

/** @param name Of its agent. */
export function useDesk(name: string): Desk {
  const { view: tree } = useTopic<TreeBranch>('tree');
  const node = tree === undefined ? undefined : findNode(tree, ({ agent }) => agent === name);
  const { view } = useTopic<ActorView>(node === undefined ? undefined : `actor/${node.address}`);
  return {
    presence: tree === undefined ? 'unknown' : node === undefined ? 'absent' : 'present',
    address: node?.address ?? name,
    view,
    context: view?.context,
  };
}

/** The context of whoever a record refers to; undefined while there is nobody, or nothing has been read. */
export function useShown<Shape>(ref: ShownRef | null | undefined): Shape | undefined {
  const { view } = useTopic<ActorView>(ref === null || ref === undefined ? undefined : `actor/${ref.actor}`);
  return view?.context as Shape | undefined;
}
