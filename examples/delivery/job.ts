/**
 * The job of this example, from the first line to the last: prepares the data, starts the system with its page, tells
 * the story, and says in the end what was made. It goes on with a job that was killed.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { BosunError, createSystem, levelStore } from 'bosun';
import { createGateway } from 'bosun/gateway';
import { type ModelPlace } from '../model-answers/model.ts';
import { code, type Coder } from './coder.ts';
import { crewOf, type DeliveryCrew, tellTrackRecord } from './crew.ts';
import { type Options } from './options.ts';
import { Outside } from './outside.ts';
import { type ReleaseResult } from './release.ts';
import { Repository } from './repository.ts';
import { say, tell, tellOpen, tellOutside } from './story.ts';

/** The files and folders of the example in its data directory. */
const OURS = ['store', 'repository', 'worktrees', 'cache', 'outside.jsonl', 'report.md', 'timetable.md'];

const ORIGINAL = join(import.meta.dirname, 'shop');

const EXIT = { completed: 0, failed: 1, interrupted: 130 } as const;

/** Milliseconds for which the page stays open without a terminal, so that it shows the end. */
const LAST_LOOK_MS = 1_500;

/** Resolves when the user interrupts. */
function interrupted(): Promise<'interrupted'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('interrupted'));
  });
}

/** Starts the system, and opens the page, whose address is the first line. */
async function opened({ system, procedures }: DeliveryCrew, { data, port }: Options) {
  const gateway = createGateway(system, { port, procedures, destructive: true, announce: data });
  await system.start();
  const { url } = await gateway.listen();
  console.log(`${url}  the page: open it in a browser`);
  return gateway;
}

/** Says what is going on, and how to kill it. */
function greet(state: 'new' | 'begun' | 'ended', outside: Outside, place: ModelPlace | null): void {
  if (state === 'ended') return say('bosun', 'has ended already. To start over: npm start -- --fresh');
  if (state === 'begun') {
    say('bosun', 'goes on where it was');
    tellOutside(outside);
  } else say('bosun', 'a crew delivers a change to a small shop; it takes some 80 seconds, less if you answer');
  if (place !== null) say('model', `${place.name} at ${place.url} writes the code`);
  say('bosun', `kill me now: kill -9 ${process.pid}   and then start me again by the same line`);
}

/** The end of the job: what was made, and where it is. */
function conclude({ reports, failure }: ReleaseResult, outside: Outside, repository: Repository): number {
  tellOutside(outside);
  if (failure !== null) {
    say('release', `ends without a release: ${failure}. To start over: npm start -- --fresh`);
    return EXIT.failed;
  }
  say('release', `done. The change: git -C ${repository.folder} diff v1.0.0 v1.1.0`);
  for (const path of reports) say('', path);
  console.log(`\n${readFileSync(reports[0]!, 'utf8')}`);
  return EXIT.completed;
}

/**
 * The coder, and the place of the model if it is one. The modules for a model are loaded only then: they take half a
 * second.
 */
async function coderIn(env: NodeJS.ProcessEnv): Promise<{ readonly coder: Coder; readonly place: ModelPlace | null }> {
  if ((env['BOSUN_MODEL_URL'] ?? '') === '') return { coder: code, place: null };
  const { modelCoder, placeIn } = await import('./model.ts');
  const place = await placeIn(env);
  // The programs that the crew runs inherit the environment, and what a model wrote is run by them.
  delete env['BOSUN_MODEL_KEY'];
  return { coder: modelCoder(place), place };
}

/** Prepares the data directory: refuses that of another system, and forgets an earlier job if told so. */
async function prepare({ data, isFresh }: Options): Promise<'new' | 'begun'> {
  const store = join(data, 'store');
  const isThere = existsSync(store);
  if (isThere && !existsSync(join(data, 'outside.jsonl')))
    throw new BosunError('BOSUN_CONFIG_INVALID', `${data} holds another system: name another directory with --data`);
  if (isThere && isFresh) {
    // Who has it open is still at work.
    const held = await createSystem({ agents: [], store: levelStore(store), hold: true }).start();
    await held.stop();
  }
  if (isFresh) for (const name of OURS) rmSync(join(data, name), { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  return isThere && !isFresh ? 'begun' : 'new';
}

/** Waits for the end of the job, or for an interruption, and resolves with the exit code. */
async function ended({ system }: DeliveryCrew, outside: Outside, repository: Repository): Promise<number> {
  const stop = interrupted();
  const result = await Promise.race([system.result('release'), stop]);
  if (result === 'interrupted') {
    say('bosun', 'interrupted; the same line goes on from here');
    return EXIT.interrupted;
  }
  const code = conclude(result.output as ReleaseResult, outside, repository);
  if (process.stdout.isTTY) {
    say('bosun', 'the page stays open until you press Ctrl-C');
    await stop;
  } else await wait(LAST_LOOK_MS);
  return code;
}

/** Does the job, or goes on with it. Resolves with the exit code. Rejects with BOSUN_CONFIG_INVALID, BOSUN_STORE_*. */
export async function deliver(options: Options): Promise<number> {
  const { data } = options;
  const { coder, place } = await coderIn(process.env);
  const state = await prepare(options);
  const repository = new Repository(data);
  await repository.make(ORIGINAL);
  const outside = new Outside(join(data, 'outside.jsonl'));
  const crew = crewOf({ ...options, repository, outside, coder }, (...line) => say('boss', line.join(' ')));
  const { system, knowledge } = crew;
  try {
    const gateway = await opened(crew, options);
    const { runs } = await system.runs({ agent: 'release', limit: 1 });
    greet(runs.length > 0 ? 'ended' : state, outside, place);
    if (state === 'begun') await tellOpen(system, data);
    await system.onEmitted((_, event) => tell(data, event));
    await tellTrackRecord(system);
    const code = await ended(crew, outside, repository);
    await gateway.close();
    return code;
  } finally {
    await system.stop();
    await knowledge.close();
  }
}
