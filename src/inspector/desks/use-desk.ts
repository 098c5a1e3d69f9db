/** A desk, found anywhere in the tree by its agent, and watched. */
import type { ActorView, PagedTree } from '../../gateway/protocol/views.ts';
import { findNode } from '../tree/find.ts';
import { useTopic } from '../use.ts';
import { type DeskContexts, type ShownRef } from './desk-shapes.ts';

export interface Desk<Context = unknown> {
  /** `unknown` until the tree is loaded whole. */
  readonly presence: 'unknown' | 'absent' | 'present';
  readonly address: string;
  /** The view of the desk; undefined until loaded. */
  readonly view: ActorView | undefined;
  readonly context: Context | undefined;
}

/**
 * Finds a desk without reading it.
 *
 * @param name Name of its agent.
 */
export function usePlace(name: string): Pick<Desk, 'presence' | 'address'> {
  const { view: tree } = useTopic<PagedTree>('tree');
  const node = tree === undefined ? undefined : findNode(tree, ({ agent }) => agent === name);
  return {
    presence: node !== undefined ? 'present' : tree === undefined || tree.next !== undefined ? 'unknown' : 'absent',
    address: node?.address ?? name,
  };
}

/**
 * Finds and reads a desk.
 *
 * @param name Name of its agent, which says whose context it is.
 */
export function useDesk<Name extends keyof DeskContexts>(name: Name): Desk<DeskContexts[Name]> {
  return useDeskOf<DeskContexts[Name]>(name);
}

/** Finds and reads a desk, whose context has the type that its caller names. */
export function useDeskOf<Context>(name: string): Desk<Context> {
  const { presence, address } = usePlace(name);
  const { view } = useTopic<ActorView>(presence === 'present' ? `actor/${address}` : undefined);
  return { presence, address, view, context: (view?.context ?? undefined) as Context | undefined };
}

/** The context of the actor that a record refers to; undefined if there is none, or until loaded. */
export function useShown<Shape>(ref: ShownRef | null | undefined): Shape | undefined {
  const { view } = useTopic<ActorView>(ref === null || ref === undefined ? undefined : `actor/${ref.actor}`);
  return view?.context as Shape | undefined;
}
