/**
 * Values that the host's own rules derive from what an actor shows: the gateway knows no machine, so it is given the
 * rules. They are computed here, in front of one worker or several.
 */
import { TABLE_ROWS_SHOWN } from '../../limits.ts';
import { type TableView } from '../../table.ts';
import { withWholeTables } from './whole-tables.ts';
import { type ActorView } from '../protocol/views.ts';
import { type BackendHandlers, type Handlers } from './call.ts';
import { invalid } from './wire-errors.ts';

/** By the name of an agent, then by that of the value. Pure functions of the context as clients are shown it. */
export type Selectors = Readonly<Record<string, Readonly<Record<string, (context: never) => unknown>>>>;

/** `actor.select`. */
export function selectHandler(selectors: Selectors, backend: BackendHandlers): Handlers['actor.select'] {
  return async ({ address, selector }, call) => {
    const { agent, context } = (await backend['actor.get']({ address }, call)) as ActorView;
    const own = Object.hasOwn(selectors, agent) ? selectors[agent]! : {};
    if (!Object.hasOwn(own, selector))
      throw invalid(`this gateway has no selector ${JSON.stringify(selector)} for actors of ${agent}`);
    const whole = await withWholeTables(
      context,
      (table, from) =>
        backend['table.read']({ address, table, from, limit: TABLE_ROWS_SHOWN }, call) as Promise<TableView>,
    );
    // Whoever gave the selector named the agent whose context it takes.
    return { value: (own[selector] as (context: unknown) => unknown)(whole) ?? null };
  };
}
