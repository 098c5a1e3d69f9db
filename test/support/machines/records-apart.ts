/** Desks as builds stored them before the one table of records: open and ended ones in tables of their own. */
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { type DeskContext, type DeskRecord } from '../../../src/machines/rules/desk.ts';
import { endedIn, openIn } from '../../../src/machines/rules/records.ts';
import { numberKey } from '../../../src/machines/rules/table-keys.ts';
import { table } from '../../../src/table.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';

const AS = { by: 'ada', reason: 'an older store' };

/** The agents as an earlier build had them: the same machines, with earlier versions by name. */
export function earlierAgents(
  agents: readonly AnyAgent[],
  versions: Readonly<Record<string, number>>,
): readonly AnyAgent[] {
  return agents.map((agent) => {
    const { name, machine, events } = agent;
    const version = versions[name];
    return version === undefined ? agent : (defineAgent({ name, machine, events, version } as never) as AnyAgent);
  });
}

/** Leaves desks suspended with their records as earlier builds stored them, without fields that they did not have. */
export async function keepApart(
  test: TestSystem,
  desks: readonly string[],
  without: readonly string[] = [],
): Promise<void> {
  for (const desk of desks) {
    await test.shard.admin.suspend(desk, AS);
    await test.shard.admin.replaceState(
      desk,
      (({ context }: { context: unknown }) => ({
        context: apart(context as DeskContext<DeskRecord>, without),
      })) as never,
      AS,
    );
  }
  await test.settle();
}

/** Lets desks go on in the build of today. */
export async function goOn(test: TestSystem, desks: readonly string[]): Promise<void> {
  for (const desk of desks) await test.shard.admin.resume(desk, AS);
  await test.settle();
}

function apart({ rows, places: _, ...others }: DeskContext<DeskRecord>, without: readonly string[]): object {
  const kept = ({ id, ...row }: DeskRecord) =>
    [id, { id, ...Object.fromEntries(Object.entries(row).filter(([field]) => !without.includes(field))) }] as const;
  const ended = endedIn({ rows });
  return {
    ...others,
    open: table(openIn({ rows }).map(kept)),
    ended: table(ended.map(kept)),
    endedOrder: table(ended.map(({ number, id }) => [numberKey(number), id])),
  };
}
