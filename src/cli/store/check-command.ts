/**
 * `bosun check`: shows before a deployment what the present code would do to each actor of a stopped store. Migrations
 * are tried on the stored records; nothing is written and nothing runs.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyAgent } from '../../actors/model/agent.ts';
import { type CheckedActor } from '../../actors/loop/versions/check.ts';
import { BosunError } from '../../errors.ts';
import { plainLine } from '../../plain-text.ts';
import { levelStore } from '../../persistence/store/level-store.ts';
import { planAgents } from '../../crew-plan.ts';
import { systemClock } from '../../clock.ts';
import { checkStore } from '../../system-check.ts';
import { exportedAgents, loadAgents } from '../files/agents-module.ts';
import { dataDirectory, hasStore } from './data-directory.ts';
import { carriedOut, EXIT, type ExitCode } from '../exit-codes.ts';
import { readPlanFile } from '../files/plan-file.ts';
import { secretKeysOf } from './secret-keys.ts';
import { type DataCommand, logTo } from '../surroundings.ts';

export interface CheckCommand extends DataCommand {
  /** A plan file, for the agents of the crew and of the plan. */
  readonly plan: string | undefined;
  /** A module that exports agents, one by one or in arrays. */
  readonly agents: string | undefined;
}

/** Actors of one agent and version with the same verdict. */
interface Group extends Pick<CheckedActor, 'agent' | 'version' | 'verdict'> {
  readonly count: number;
  /** The first few addresses. */
  readonly addresses: readonly string[];
  /** The reason why the first of them is refused. */
  readonly reason: string | null;
}

/** Addresses shown of each group. */
const EXAMPLES = 3;

const WORDS: Readonly<Record<CheckedActor['verdict'], string>> = {
  fine: 'fine',
  migrates: 'migrates',
  kept: 'kept on the old definition',
  stops: 'stops with the migration of its parent',
  refused: 'refused',
};

export function checkCommand(command: CheckCommand): Promise<ExitCode> {
  const { json, out, err, env } = command;
  return carriedOut(command, async () => {
    const store = levelStore(storeIn(command));
    const agents = await agentsFor(command);
    const actors = await checkStore({
      agents,
      store,
      ...secretKeysOf(env),
      log: logTo(err),
    });
    const groups = grouped(actors);
    const refused = actors.filter(({ verdict }) => verdict === 'refused').length;
    out.write(
      json
        ? `${JSON.stringify({ actors: actors.length, refused, groups })}\n`
        : `${groups.flatMap(lines).join('\n')}\n`,
    );
    if (!json)
      err.write(
        refused === 0
          ? `all ${actors.length} actors can run\n`
          : `${refused} of ${actors.length} actors would be suspended\n`,
      );
    return refused === 0 ? EXIT.completed : EXIT.failed;
  });
}

/** The store of a data directory, or a directory that is itself a store, as passed to `levelStore`. */
function storeIn(command: CheckCommand): string {
  const directory = dataDirectory(command);
  if (hasStore(directory)) return directory.store;
  if (existsSync(join(directory.path, 'CURRENT'))) return directory.path;
  throw new BosunError('BOSUN_CONFIG_INVALID', `${directory.path} holds no store`);
}

async function agentsFor({ plan, agents, cwd }: CheckCommand): Promise<readonly AnyAgent[]> {
  if ((plan === undefined) === (agents === undefined)) {
    throw new BosunError('BOSUN_CONFIG_INVALID', 'name the plan, or a module that exports the agents with --agents');
  }
  if (agents !== undefined) return exportedAgents(agents, { cwd });
  return agentsOfPlan({ file: plan!, cwd });
}

/** The agents of a plan, without running any of it. */
export async function agentsOfPlan(place: { file: string; cwd: string }): Promise<readonly AnyAgent[]> {
  const source = await readPlanFile(place);
  const agents = await loadAgents(source);
  const { ports, checkpoints } = agents;
  const shell = () => Promise.reject(new Error('nothing runs here'));
  return planAgents(source.plan, agents, { ports, checkpoints, shell, clock: systemClock });
}

function grouped(actors: readonly CheckedActor[]): Group[] {
  const groups = new Map<string, CheckedActor[]>();
  for (const actor of actors) {
    const key = JSON.stringify([actor.agent, actor.version, actor.verdict]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [actor]);
    else group.push(actor);
  }
  return [...groups.values()].map((group): Group => {
    const { agent, version, verdict, reason } = group[0]!;
    const addresses = group.slice(0, EXAMPLES).map(({ address }) => address);
    return { agent, version, verdict, count: group.length, addresses, reason: reason?.message ?? null };
  });
}

function lines({ agent, version, verdict, count, addresses, reason }: Group): string[] {
  const more = count > addresses.length ? ', ...' : '';
  return [
    `${agent}, version ${version}: ${count} ${WORDS[verdict]} (${addresses.join(', ')}${more})`,
    ...(reason === null ? [] : [`  ${plainLine(reason)}`]),
  ];
}
