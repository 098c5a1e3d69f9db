/** The system of this example: desks for people, answers, debates and delivery, and the agents of the crew. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSystem, levelStore, type System } from 'bosun';
import {
  agentProcedures,
  answerCrew,
  answerProcedures,
  crewProcedures,
  deliveryProcedures,
  type Knowledge,
  knowledgeOf,
  knowledgePorts,
  knowledgeProcedures,
  registryOf,
  repositoryTests,
} from 'bosun/crew';
import { debateAgents, debateChildren } from 'bosun/machines';
import { linterAgent } from './linter.ts';
import { defended } from './coder.ts';
import { PROFILES } from './profiles.ts';
import { releaseAgent } from './release.ts';
import { sessionAgent, type SessionResult } from './session.ts';
import { type Directive, FIELD, sessionOf } from './steps.ts';
import { type Workplace } from './workplace.ts';

/** Sessions at work at once. */
const PLACES = 2;

export interface DeliveryCrew {
  /** Not started yet. */
  readonly system: System;
  readonly knowledge: Knowledge;
  /** The methods that the gateway offers beside its own. */
  readonly procedures: ReturnType<typeof proceduresOf>;
}

/** Makes the system on the data of a workplace. */
export function crewOf(place: Omit<Workplace, 'system'>, log: (...args: unknown[]) => void): DeliveryCrew {
  const { data, repository, outside } = place;
  const whole: Workplace = { ...place, system: () => system };
  const cache = join(data, 'cache');
  leaveDamagedCache(cache);
  const { folder } = repository;
  const knowledge = knowledgeOf([{ scope: 'corner-shop', path: folder }]);
  const tests = repositoryTests({ folder, command: 'node --test --test-reporter=tap', store: data });
  const session = sessionAgent(whole);
  const ports = {
    ...knowledgePorts(knowledge),
    code: (directive: Directive) => codedBy(system, session, directive),
    verify: ((task, facts) =>
      repository.alone(async () => {
        outside.again(`all tests for ${task.id}`);
        return tests(task, facts);
      })) as typeof tests,
  };
  const answers = answerCrew({
    ports: { retrieve: knowledge.retrieve.bind(knowledge) },
    delivery: { ports, places: PLACES },
  });
  const registry = registryOf({ roster: [{ source: 'examples/delivery/profiles.ts', profiles: PROFILES }] });
  const system: System = createSystem({
    agents: [
      ...answers.agents,
      ...registry.agents,
      ...debateAgents({ defend: defended }),
      session,
      linterAgent(cache),
      releaseAgent(whole),
    ],
    tree: {
      children: [
        { id: 'tools', boss: { children: [{ id: 'linter', agent: 'linter' }] } },
        { id: 'sessions', boss: { strategy: 'dynamic', template: { agent: 'session', restart: 'transient' } } },
        ...answers.tree.children!,
        ...registry.tree.children!,
        ...debateChildren({ formula: 'normalised' }),
        { id: 'release', agent: 'release', restart: 'transient' },
      ] as never,
    },
    store: levelStore(join(data, 'store')),
    log,
  });
  return { system, knowledge, procedures: proceduresOf(knowledge) };
}

function proceduresOf(knowledge: Knowledge) {
  return {
    ...{ ...crewProcedures, ...answerProcedures, ...deliveryProcedures, ...agentProcedures() },
    ...knowledgeProcedures(knowledge.retrieve.bind(knowledge)),
  };
}

/** Has a task done by a session, which is an actor: a host that starts again finds it, and goes on. */
async function codedBy(system: System, session: ReturnType<typeof sessionAgent>, directive: Directive) {
  const { taskId, title, description, acceptanceCriteria, relatedFiles, notes, attempt } = directive;
  const input = { taskId, title, description, acceptanceCriteria, relatedFiles, notes, attempt };
  const actor = await system.spawn(session, sessionOf(directive), { under: 'sessions', input });
  const { value } = await actor.waitFor(({ status, value: state }) => status !== 'active' || state === 'waiting');
  if (value === 'waiting') return { status: 'blocked' as const, details: 'a person has to answer' };
  const { output, error } = await system.result(`sessions/${sessionOf(directive)}`);
  if (output === undefined) throw new Error(String(error));
  const { status, files, tests, failure } = output as SessionResult;
  const testing = tests === null ? '' : `tests of the change: ${tests.passes} passed`;
  return { status, files: [...files], testing, details: failure ?? '' };
}

/** Tells the debate desk how often the agents were right before. */
export async function tellTrackRecord(system: System): Promise<void> {
  const file = join(import.meta.dirname, 'track-record.json');
  const { about: _, ...agents } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  for (const [agent, { right, wrong }] of Object.entries(agents as Record<string, Record<'right' | 'wrong', number>>)) {
    const observations = Array.from({ length: right + wrong }, (_none, at) => {
      // Those in which it was wrong are spread over time.
      const isRight = Math.floor(((at + 1) * wrong) / (right + wrong)) === Math.floor((at * wrong) / (right + wrong));
      return { atMs: Date.now(), context: FIELD, regime: 'ordinary', isRight, isOverridden: false };
    });
    const event = { type: 'agent.observed', agent, observations };
    // Once for each agent, whenever this process is killed.
    await system.ask('debates', event, { id: `track-record-${agent}` });
  }
}

/** Leaves what a machine that was switched off in the middle of a write would leave: half a cache. */
function leaveDamagedCache(folder: string): void {
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(join(folder, 'left'), '', { flag: 'wx' });
  } catch {
    return;
  }
  writeFileSync(join(folder, 'lint-cache.json'), '{ "src/goods.js": "4b1');
}
