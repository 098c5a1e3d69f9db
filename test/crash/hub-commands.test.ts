/**
 * Hubs whose sessions are commands, by real processes of `bosun hub run` under kill -9: after each line that they
 * print, from inside each command, and at random moments. No hand-off is lost or doubled, no command runs again that
 * has handed off, and nothing stays behind.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { type LineageEntry } from '../../src/machines/hub/handoff.ts';
import { type SeededRandom } from '../../src/testing/seeded-random.ts';
import { type Ended, linesOf, type Process } from '../support/cli/workspace.ts';
import { after } from '../../src/spokes/waits.ts';
import { afterLines, BEGIN, handsOff, kill, KilledHub, reportOf } from '../support/crash/killed-hub.ts';
import { randomOf } from '../support/chance.ts';
import { byEffort, LONG_PATIENCE_MS, SEED } from '../support/effort.ts';
import { until } from '../support/until.ts';

/** The moments of a command at which it kills its host, and then waits for its own end, or ends. */
const MOMENTS = ['before', 'written', 'last'] as const;
type Moment = (typeof MOMENTS)[number];

/** One in so many places is tried, another choice for each seed. */
const ONE_IN = byEffort({ quick: 9, ci: 9, soak: 1 });

/** Kills of a campaign at random moments. */
const KILLS = byEffort({ quick: 5, ci: 8, soak: 200 });
const SESSIONS = 30;
const AT_ONCE = 4;

/** Starts that a run may need after its one kill. */
const STARTS_MAX = 3;

/** The hand-offs of a whole chain. */
const SAID = {
  Executor: { outcome: 'done', recommended: 'Reviewer' },
  Reviewer: { outcome: 'approved', recommended: 'Tester', build: { command: 'make', exitCode: 0 } },
  Tester: { outcome: 'passed', recommended: 'Archivist', testsPass: true },
  Archivist: { summary: 'it is archived' },
} as const;
const ROLES = Object.keys(SAID);

/** The host is the parent of the shell that holds the command, whose child the command is. */
const KILLS_HOST = `kill -9 "$(cut -d ' ' -f 4 "/proc/$PPID/stat")"`;

/** A command that kills its host at the moment that a file names, once. */
function chained(role: keyof typeof SAID) {
  const at = (moment: Moment, then = '') =>
    `[ ! -e kill-${role}-${moment} ] || { rm kill-${role}-${moment}; ${KILLS_HOST}${then}; }\n`;
  const waits = '; while :; do sleep 0.02; done';
  const said = handsOff({ reason: `${role} says so`, ...SAID[role] });
  return { run: `${BEGIN}${at('before', waits)}${said}${at('written', waits)}${at('last')}`, handoff: 'file' };
}

const CHAIN = { agents: Object.fromEntries(ROLES.map((role) => [role, chained(role as keyof typeof SAID)])) };

/** A moment of a run of the chain. */
type Place =
  | { readonly name: string; readonly line: number }
  | { readonly name: string; readonly role: string; readonly moment: Moment };

/** The facts of an entry that no kill may change. */
const factsOf = ({ seq, from, to, recommended, reason }: LineageEntry) => ({ seq, from, to, recommended, reason });

/** Runs a chain that is killed at one place, or not at all, to its end. */
async function chain(hub: KilledHub, place?: Place): Promise<{ readonly ended: Ended; readonly kills: number }> {
  if (place !== undefined && 'role' in place) hub.work.write(`kill-${place.role}-${place.moment}`, '');
  let kills = 0;
  for (let starts = 1; ; starts += 1) {
    const running = hub.start();
    if (place !== undefined && 'line' in place && starts === 1)
      afterLines(running, place.line, () => void running.child.kill('SIGKILL'));
    const ended = await running.ended;
    if (ended.code !== null || starts === STARTS_MAX) return { ended, kills };
    kills += 1;
  }
}

/** The ways in which a run of the chain differs from an undisturbed one. */
async function flawsOf(hub: KilledHub, ended: Ended, place?: Place): Promise<string[]> {
  const report = reportOf(ended);
  const sessions = (await hub.sessions()).map(({ session, role, outcome }) => `${session} ${role} ${outcome}`);
  const begun = hub.begun().map(({ role }) => role);
  const isTwice = (role: string) => place !== undefined && 'role' in place && place.role === role;
  const expected = ROLES.flatMap((role) => (isTwice(role) && isBefore(place) ? [role, role] : [role]));
  // What is killed between two lines may be at work.
  const starts = place !== undefined && 'line' in place ? begun.filter((one, at) => one !== begun[at - 1]) : begun;
  await hub.isLeft();
  const facts: readonly (readonly [what: string, found: unknown, wanted: unknown])[] = [
    ['exit code', ended.code, 0],
    ['end', [report?.status, report?.because], ['completed', 'the work plan is archived']],
    ['lineage', report?.lineage.map(factsOf), LINEAGE],
    ['sessions', sessions, ROLES.map((role, at) => `R-1-${at + 1} ${role} done`)],
    ['starts', starts, expected],
    ['at most one start more', begun.length <= ROLES.length + 1, true],
    ['starts behind a hand-off', hub.again(), []],
  ];
  return facts.flatMap(([what, found, wanted]) =>
    isDeepStrictEqual(found, wanted)
      ? []
      : [`${place?.name ?? 'undisturbed'}: ${what}: ${JSON.stringify(found)}, ${ended.err}`],
  );
}

function isBefore(place: Place | undefined): boolean {
  return place !== undefined && 'moment' in place && place.moment === 'before';
}

const LINEAGE = ['Executor', 'Reviewer', 'Tester'].map((from, at) => ({
  ...{ seq: at + 1, from, to: 'Coordinator', recommended: ROLES[at + 1], reason: `${from} says so` },
}));

/** All places of a run with so many lines, or a choice of them. */
function placesOf(lines: number): Place[] {
  const places: Place[] = [
    ...Array.from({ length: lines }, (_, at) => ({ name: `line ${at + 1}`, line: at + 1 })),
    ...MOMENTS.flatMap((moment) => ROLES.map((role) => ({ name: `${moment} of ${role}`, role, moment }))),
  ];
  const first = randomOf('places of kills').integer(ONE_IN);
  return places.filter((_, at) => at % ONE_IN === first);
}

it(
  'HS-E01: a chain of commands has the same lineage with kill -9 between each pair of steps and inside each one',
  async () => {
    await using whole = new KilledHub('mend', CHAIN);
    const { ended } = await chain(whole);
    const flaws = await flawsOf(whole, ended);
    const places = placesOf(linesOf(ended.out).length);
    let kills = 0;
    for (const place of places) {
      await using hub = new KilledHub('mend', CHAIN);
      const run = await chain(hub, place);
      kills += run.kills;
      flaws.push(...(await flawsOf(hub, run.ended, place)));
    }
    console.log(`chain of commands: seed ${SEED}, ${places.length} places, ${kills} kills, ${flaws.length} flaws`);
    expect(flaws).toEqual([]);
    // The process may end by itself behind its last line.
    expect(kills).toBeGreaterThanOrEqual(places.length - 1);
  },
  LONG_PATIENCE_MS,
);

/** The time that the command of a session takes, 20 to 150 ms, by the number of the session. */
const WORKS = `sleep "0.$(printf '%03d' $((20 + \${BOSUN_SESSION##*-} * 37 % 131)))"\n`;

/** The time of one that does not listen to its leash, so that some hand off while the next process begins. */
const DEAF_WORKS = `sleep "$(printf '0.%d' $((4 + \${BOSUN_SESSION##*-} * 7 % 6)))"\n`;

const READY = { outcome: 'ready', recommended: 'Architect', reason: 'so' };

/** One hands off by its file, one by its exit code, and one by its file while it does not listen to its leash. */
const CROWD = {
  ...{ module: './lead.mjs', decides: { function: 'lead' } },
  limits: { spawns: SESSIONS, concurrent: AT_ONCE },
  agents: {
    Researcher: {
      run: `${BEGIN}${WORKS}${handsOff({ outcome: 'complete', recommended: 'Architect', reason: 'found out' })}`,
      handoff: 'file',
    },
    Architect: { run: `${BEGIN}${WORKS}`, handoff: 'exit' },
    Brainstorm: {
      run: `trap '' TERM\n${BEGIN}${DEAF_WORKS}${handsOff(READY)}`,
      handoff: 'file',
    },
  },
};

const LEAD = `const ROLES = ['Researcher', 'Architect', 'Researcher', 'Architect', 'Brainstorm'];
export const lead = async (_, { run }) => {
  let next = 0;
  const spawner = async () => {
    while (next < ${SESSIONS}) {
      const key = 's' + next;
      const end = await run({ key, role: ROLES[next++ % ROLES.length], task: key });
      if (end.outcome !== 'done') throw new Error(key + ' is ' + JSON.stringify(end));
    }
  };
  await Promise.all(Array.from({ length: ${AT_ONCE} }, spawner));
};`;

/** The sightings of a campaign. */
interface Sightings {
  kills: number;
  runs: number;
  /** Sessions under way at kills. */
  underWay: number;
  begun: number;
  readonly flaws: string[];
}

/** Kills a process at a random moment, unless it ends before. */
async function killedSometime(hub: KilledHub, running: Process, random: SeededRandom): Promise<void> {
  const kind = random.integer(8);
  const lines = 1 + random.integer(14);
  const begun = hub.begun().length + 1 + random.integer(6);
  const delayMs = random.integer(60);
  if (kind === 0)
    await until(
      () => hub.hasData || running.child.exitCode !== null,
      () => 'a data directory',
    );
  else if (kind < 4)
    await until(
      () => hub.begun().length >= begun || running.child.exitCode !== null,
      () => `${begun} starts of commands: ${running.err}`,
    );
  else
    await new Promise<void>((resolve) => {
      afterLines(running, lines, resolve);
      void running.ended.then(() => resolve());
    });
  await after(delayMs);
  await kill(running);
}

it(
  `a hub of ${SESSIONS} commands keeps each hand-off once over ${KILLS} kills at random moments`,
  async () => {
    const random = randomOf('kills of a hub');
    const seen: Sightings = { kills: 0, runs: 0, underWay: 0, begun: 0, flaws: [] };
    while (seen.kills < KILLS) {
      await using hub = new KilledHub('crowd', CROWD);
      hub.work.write('lead.mjs', LEAD);
      await campaign(hub, seen, random);
    }
    const { flaws, ...counts } = seen;
    console.log(`hub of commands: seed ${SEED}, ${JSON.stringify(counts)}, ${flaws.length} flaws`);
    expect(flaws).toEqual([]);
    expect(seen.underWay).toBeGreaterThan(0);
  },
  LONG_PATIENCE_MS,
);

/** Kills process after process of a run until it is over or there were enough kills, and lets the last one end. */
async function campaign(hub: KilledHub, seen: Sightings, random: SeededRandom): Promise<void> {
  seen.runs += 1;
  for (;;) {
    const running = hub.start();
    if (seen.kills < KILLS) await killedSometime(hub, running, random);
    const ended = await running.ended;
    if (ended.code !== null) {
      seen.begun += hub.begun().length;
      seen.flaws.push(...(await flawsOfCrowd(hub, ended)).map((flaw) => `run ${seen.runs}: ${flaw}`));
      return;
    }
    seen.kills += 1;
    seen.underWay += hub.underWay().length;
  }
}

async function flawsOfCrowd(hub: KilledHub, ended: Ended): Promise<string[]> {
  const lineage = reportOf(ended)?.lineage ?? [];
  const sessions = (await hub.sessions()).flatMap(({ session, depth }) => (depth > 0 ? [session] : []));
  const all = Array.from({ length: SESSIONS }, (_, at) => at + 1);
  await hub.isLeft();
  const facts: readonly (readonly [what: string, found: unknown, wanted: unknown])[] = [
    ['exit code', ended.code, 0],
    ['end', reportOf(ended)?.status, 'completed'],
    ['numbers of the lineage', lineage.map(({ seq }) => seq), all],
    ['sessions of the lineage', new Set(lineage.map(({ session }) => session)).size, SESSIONS],
    ['sessions on record', [sessions.length, new Set(sessions).size], [SESSIONS, SESSIONS]],
    ['sessions begun', new Set(hub.begun().map(({ session }) => session)).size, SESSIONS],
    ['starts behind a hand-off', hub.again(), []],
  ];
  return facts.flatMap(([what, found, wanted]) =>
    isDeepStrictEqual(found, wanted)
      ? []
      : [`${what}: ${JSON.stringify(found)}, ${reportOf(ended)?.because}, ${ended.err}`],
  );
}
