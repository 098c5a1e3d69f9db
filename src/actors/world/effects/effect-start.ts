/** The start of the logic of an effect. */
import { type AnyActorLogic } from 'xstate';
import { shown } from '../../../lending.ts';
import { type Snapshot } from '../../model/step-engine.ts';
import { type XstateDefinition } from '../../xstate/definition.ts';
import { type Cell } from '../cell.ts';

/** The scope that XState gives an effect beside its snapshot. */
export type Scope = Parameters<NonNullable<AnyActorLogic['start']>>[1];

/**
 * Starts the logic of an effect with its input, of which it gets a copy that it may change.
 *
 * @returns What custom logic returns, which may be a promise that rejects.
 */
export function startLogic(cell: Cell, scope: Scope): unknown {
  const { logic, kind } = cell.definition as XstateDefinition;
  const snapshot = cell.snapshot as Snapshot & { readonly input?: unknown; _subscription?: object };
  const input = shown(snapshot.input);
  // Only custom logic itself knows what its snapshot is.
  if (input === snapshot.input || kind === 'custom') return logic.start?.(snapshot as never, scope);
  const started: typeof snapshot = { ...snapshot, input };
  logic.start?.(started as never, scope);
  // XState keeps the subscription of an observable in the snapshot.
  if (started._subscription !== undefined) snapshot._subscription = started._subscription;
  return undefined;
}

/** Whether the logic has subscribed to an observable. */
export function isSubscribed(snapshot: Snapshot | undefined): snapshot is Snapshot & { _subscription: object } {
  return (snapshot as { _subscription?: unknown } | undefined)?._subscription !== undefined;
}
