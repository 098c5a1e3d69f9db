/**
 * Selectors: values that the host's own functions derive from a context as clients see it. The gateway knows no
 * machines, so the host supplies the functions. They run here, in front of one worker or of several.
 */
import { TABLE_ROWS_SHOWN } from '../limits.ts';
import { type TableView } from '../../table.ts';
import { withWholeTables } from '../../whole-tables.ts';
import { type ActorView } from '../protocol/views.ts';
import { type FrontParts } from './call-parts.ts';
import { type Call } from './call.ts';
import { inJson, owed } from './host-code.ts';
import { invalid } from '../callers/wire-errors.ts';

/** Carries out `actor.select`. */
export async function selected(
  { selectors, backend }: FrontParts,
  { address, selector }: { readonly address: string; readonly selector: string },
  call: Call,
): Promise<unknown> {
  const { agent, context } = (await backend['actor.get']({ address }, call)) as ActorView;
  const own = Object.hasOwn(selectors, agent) ? selectors[agent]! : {};
  if (!Object.hasOwn(own, selector))
    throw invalid(`this gateway has no selector ${JSON.stringify(selector)} for actors of ${agent}`);
  const whole = await withWholeTables(
    context,
    (table, from) =>
      backend['table.read'](
        { address, table, from, reverse: false, limit: TABLE_ROWS_SHOWN },
        call,
      ) as Promise<TableView>,
  );
  const place = `the selector ${JSON.stringify(selector)} of ${agent}, at ${address},`;
  // The author of the selector declared which agent's context it takes.
  const value = owed(place, () => (own[selector] as (context: unknown) => unknown)(whole));
  return { value: inJson(place, value) ?? null };
}
