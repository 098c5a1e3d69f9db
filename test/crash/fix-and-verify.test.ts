/**
 * The example fix-and-verify in a repository whose user is in the middle of something else, by real processes of
 * `bosun hub run` that get kill -9 at random moments. It ends as an undisturbed one does: no hand-off is lost or
 * doubled, no spoke works again behind its hand-off, and the user's own files stay as they are.
 */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../src/clock.ts';
import { type LineageEntry } from '../../src/machines/hub/handoff.ts';
import { after } from '../../src/spokes/waits.ts';
import { type SeededRandom } from '../../src/testing/seeded-random.ts';
import { type Ended, linesOf, type Process } from '../support/cli/workspace.ts';
import { afterLines, kill, KilledHub, reportOf } from '../support/crash/killed-hub.ts';
import { randomOf } from '../support/chance.ts';
import { byEffort, LONG_PATIENCE_MS, SEED } from '../support/effort.ts';
import { Repository } from '../support/git/repository.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/fix-and-verify', import.meta.url));
const PLAN = 'fix-and-verify';
const KILLS = byEffort({ quick: 3, ci: 6, soak: 500 });

/** Names that are not the user's, and the file that the run mends. */
const BOSUNS = ['data', 'node_modules', 'sum.mjs'];

/** The agents of the example, of which each says when it begins. */
const NOTED = `import { appendFileSync } from 'node:fs';
import * as agents from './agents.ts';
const noted = (name) => (work, tools) => {
  appendFileSync(process.env.BEGUN, work.session + '\\n');
  return agents[name](work, tools);
};
export const [repair, diagnose, archive] = ['repair', 'diagnose', 'archive'].map(noted);
`;

interface HubFile {
  readonly agents: Readonly<Record<string, { readonly run?: string }>>;
}

/** A copy of the example, carried out by processes that are killed. */
class KilledExample extends KilledHub {
  readonly #repository: Repository;
  readonly #own: ReturnType<Repository['own']>;
  /** Starts of sessions that had handed off when a process was killed. */
  readonly #handedOff = new Map<string, number>();

  constructor() {
    const { agents, ...file } = parse(readFileSync(join(EXAMPLE, 'hub.yaml'), 'utf8')) as HubFile;
    const noted = Object.entries(agents).map(([role, agent]) => [
      role,
      // The file is in .git, where nobody's changes are.
      agent.run === undefined
        ? agent
        : { ...agent, env: ['BEGUN'], run: `echo "$BOSUN_SESSION" >> "$BEGUN"; ${agent.run}` },
    ]);
    super(PLAN, { ...file, module: './noted.mjs', agents: Object.fromEntries(noted) });
    cpSync(EXAMPLE, this.work.path, { recursive: true });
    this.work.write('noted.mjs', NOTED);
    this.#repository = new Repository({ '.gitignore': 'data\nnode_modules\n' }, this.work.path);
    this.#repository.write({ 'sum.test.mjs': `${this.work.read('sum.test.mjs')}// mine\n`, 'notes.txt': 'mine\n' });
    this.#repository.git('add', 'notes.txt');
    this.#own = this.#repository.own(BOSUNS);
  }

  override start(): Process {
    return this.work.spawn(['hub', 'run', 'hub.json', '--json'], { env: { BEGUN: this.work.file('.git/begun') } });
  }

  /** Looks at the store of a process that was killed. Resolves to the sessions that have handed off. */
  async look(): Promise<number> {
    const { code, out } = await this.work.bosun(['hub', 'lineage', PLAN, '--json']);
    const entries = code === 0 ? linesOf(out).map((line) => line as unknown as LineageEntry) : [];
    for (const { session } of entries) this.#handedOff.set(session, this.#startsOf(session));
    return entries.length;
  }

  /** The ways in which the run differs from an undisturbed one. */
  async flaws(ended: Ended, lineage: unknown): Promise<string[]> {
    await this.isLeft();
    const again = [...this.#handedOff].filter(([session, starts]) => this.#startsOf(session) !== starts);
    const facts: readonly (readonly [what: string, found: unknown, wanted: unknown])[] = [
      ['exit code', ended.code, 0],
      ['lineage', chainOf(ended), lineage],
      ['starts behind a hand-off', again, []],
      ["user's own", this.#repository.own(BOSUNS), this.#own],
      ['mended', MENDED.every((text) => this.work.read('sum.mjs').includes(text)), true],
      ['trees', this.#repository.trees(), []],
    ];
    return facts.flatMap(([what, found, wanted]) =>
      isDeepStrictEqual(found, wanted) ? [] : [`${what}: ${JSON.stringify(found)}, ${ended.err}`],
    );
  }

  #startsOf(session: string): number {
    const text = this.work.has('.git/begun') ? this.work.read('.git/begun') : '';
    return text.split('\n').filter((line) => line === session).length;
  }
}

const MENDED = ['a + b', 'sum(a, b) / 2'];

/** The facts of a lineage that no kill may change. */
function chainOf(ended: Ended) {
  return reportOf(ended)?.lineage.map(({ seq, from, recommended, reason }) => [seq, from, recommended, reason]);
}

/** Kills a process at a random moment, unless it ends before. */
async function killedSometime(running: Process, random: SeededRandom): Promise<void> {
  const lines = random.integer(7);
  const delayMs = random.integer(lines === 0 ? 1_000 : 200);
  if (lines > 0)
    await new Promise<void>((resolve) => {
      afterLines(running, lines, resolve);
      void running.ended.then(() => resolve());
    });
  await after(delayMs);
  await kill(running);
}

/** The time until all commands of a killed host have ended, in milliseconds. */
async function endOf(hub: KilledExample): Promise<number> {
  const killedAtMs = systemClock.monotonicMs();
  if (hub.hasData) await hub.isQuiet();
  return Math.round(systemClock.monotonicMs() - killedAtMs);
}

it(
  `fix-and-verify ends as it would over ${KILLS} kills at random moments`,
  async () => {
    const random = randomOf('kills of fix-and-verify');
    await using whole = new KilledExample();
    const undisturbed = await whole.start().ended;
    const lineage = chainOf(undisturbed);
    expect(lineage).toHaveLength(7);
    const flaws = await whole.flaws(undisturbed, lineage);
    const seen = { kills: 0, runs: 0, looks: 0, slowestEndMs: 0 };
    while (seen.kills < KILLS) {
      await using hub = new KilledExample();
      seen.runs += 1;
      for (;;) {
        const running = hub.start();
        if (seen.kills < KILLS) await killedSometime(running, random);
        const ended = await running.ended;
        if (ended.code !== null) {
          flaws.push(...(await hub.flaws(ended, lineage)).map((flaw) => `run ${seen.runs}: ${flaw}`));
          break;
        }
        seen.kills += 1;
        // Else the next process begins while something of this one is left.
        if (random.integer(2) === 0) seen.slowestEndMs = Math.max(seen.slowestEndMs, await endOf(hub));
        seen.looks += await hub.look();
      }
    }
    console.log(`fix-and-verify: seed ${SEED}, ${JSON.stringify(seen)}, ${flaws.length} flaws`);
    expect(flaws).toEqual([]);
    expect(seen.looks).toBeGreaterThan(0);
  },
  LONG_PATIENCE_MS,
);
