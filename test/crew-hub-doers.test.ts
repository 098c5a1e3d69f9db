/** Models that do the work of sessions, and what coding agents have used, over ends of the host. */
import { generateObject, jsonSchema } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hubCrew, type HubCrewOptions, type ModelFunction, type ModelRequest } from '../src/crew-hub.ts';
import { DESKS } from '../src/machines/desks.ts';
import { handoffSchema } from '../src/machines/hub/handoff-schema.ts';
import { handoffProblems, outcomesOf } from '../src/machines/hub/handoff-rules.ts';
import { handoffSaid } from '../src/machines/hub/handoff.ts';
import { type HubContext } from '../src/machines/hub/hub-state.ts';
import { promptToHandOff } from '../src/machines/hub/prompt.ts';
import { ROLES } from '../src/machines/hub/roles.ts';
import { type SessionEntry } from '../src/machines/hub/session-records.ts';
import { Commands } from '../src/spokes/command.ts';
import { LeftOvers } from '../src/spokes/processes.ts';
import { Outputs } from '../src/spokes/outputs.ts';
import { runSession } from '../src/spokes/session-command.ts';
import { startTestSystem, type TestSystem } from '../src/testing/test-system.ts';
import { until } from './support/until.ts';

const SAMPLE = join(import.meta.dirname, 'spokes/samples/claude-result.json');
const DONE = { outcome: 'done', recommended: 'Reviewer', reason: 'the parser is mended' };

let test: TestSystem;
let cwd: string;
beforeEach(() => void (cwd = mkdtempSync(join(tmpdir(), 'bosun-doers-'))));
afterEach(async () => {
  await test.system.stop();
  await new LeftOvers(cwd).end();
  rmSync(cwd, { recursive: true });
});

const begin = async (options: HubCrewOptions) => void (test = await startTestSystem(hubCrew(options)));

/** Begins a run of one session. */
async function order(does: object): Promise<void> {
  const about = { title: 'mend it' };
  const limits = { spawns: 1, costUsd: 5 };
  const Executor = { does, attempts: 1 };
  await test.system.send('hubs', { type: 'hub.start', about, workspace: cwd, agents: { Executor }, limits });
  await test.settle();
}

async function sessions(): Promise<SessionEntry[]> {
  const { records } = await test.system.records.list('work-plans/WP-1', 'sessions');
  return records.map(({ value }) => value as SessionEntry);
}

const spentUsd = () =>
  (test.shard.snapshot(`${DESKS.openHubs}/R-1`)?.context as HubContext | undefined)?.budget.spent.costUsd;
const hasClosed = () => (test.shard.snapshot('work-plans/WP-1')?.context as { seq?: number } | undefined)?.seq === 1;

describe('a model', () => {
  it('is asked for the hand-off of its role by structured output, and its usage is on record', async () => {
    const language = new MockLanguageModelV3({
      doGenerate: {
        content: [{ type: 'text', text: JSON.stringify(DONE) }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: {
          inputTokens: { total: 70, noCache: 70, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 30, text: 30, reasoning: undefined },
        },
        warnings: [],
      },
    });
    const mender: ModelFunction = async ({ prompt, schema, signal }) => {
      const shape = jsonSchema<object>(schema);
      const { object, usage } = await generateObject({ model: language, schema: shape, prompt, abortSignal: signal });
      return { handoff: object, usage: { tokens: usage.totalTokens ?? 0, costUsd: 0.01, steps: 1 } };
    };
    await begin({ models: { mender } });
    await order({ kind: 'model', name: 'mender' });
    expect(await sessions()).toMatchObject([
      { outcome: 'done', usage: { tokens: 100, costUsd: 0.01, steps: 1 }, isForced: false },
    ]);
    const [{ responseFormat, prompt } = {}] = language.doGenerateCalls;
    expect(JSON.stringify(prompt)).toContain('You are the Executor of this work plan.');
    expect(responseFormat).toMatchObject({
      schema: { properties: { outcome: { enum: ['done', 'blocked', 'build-failed', 'tests-failed'] } } },
    });
  });

  it('is told once what does not fit, and refused after that', async () => {
    const asked: ModelRequest[] = [];
    const wrong: ModelFunction = (request) => {
      asked.push(request);
      return Promise.resolve({ handoff: { ...DONE, recommended: 'Archivist' }, usage: { tokens: 5 } });
    };
    await begin({ models: { wrong } });
    await order({ kind: 'model', name: 'wrong' });
    expect(asked.map(({ prompt }) => prompt.includes('Mend these problems of your last hand-off'))).toEqual([
      false,
      true,
    ]);
    expect(await sessions()).toMatchObject([{ outcome: 'refused', usage: { tokens: 10 } }]);
  });

  it.each([
    ['that is not given', {}],
    ['that answers nothing', { mender: () => Promise.resolve(undefined as never) }],
    ['that throws', { mender: () => Promise.reject(new Error('the key is wrong')) }],
    ['with usage that is no number', { mender: () => Promise.resolve({ handoff: DONE, usage: { tokens: NaN } }) }],
  ] as const)('%s ends its session and not its host', async (_, models) => {
    await begin({ models });
    await order({ kind: 'model', name: 'mender' });
    const [entry] = await sessions();
    expect(['failed', 'refused']).toContain(entry?.outcome);
    expect(entry?.usage).toMatchObject({ tokens: 0, costUsd: 0 });
  });
});

it('a host without services for tools and models says so', async () => {
  await begin({});
  await order({ kind: 'mcp', run: 'true', tool: 'review' });
  expect(await sessions()).toMatchObject([{ outcome: 'failed', summary: expect.stringContaining('calls no tools') }]);
});

it('the schema and the prompt of each role have what its table takes, and the first of it fits', () => {
  for (const role of ROLES) {
    const by = { role, hub: 'Coordinator', isBuildCheck: false } as const;
    const { properties } = handoffSchema(by) as { properties: Record<string, { enum: string[] }> };
    expect(properties['outcome']!.enum).toEqual(Object.keys(outcomesOf(role)));
    const [, example] = /^(\{.*\})$/m.exec(promptToHandOff('do it', by)) ?? [];
    if (example === undefined) continue;
    const said = handoffSaid.parse(JSON.parse(example));
    expect([role, handoffProblems(by, said), properties['recommended']!.enum]).toEqual([
      role,
      [],
      expect.arrayContaining([said.recommended]),
    ]);
  }
});

/** Runs commands that are coding agents, as a host that begins anew does. */
function host(): HubCrewOptions {
  const commands = new Commands({ store: cwd, cwd, env: () => process.env });
  const outputs = new Outputs(join(cwd, 'output'));
  return {
    runCommand: ({ run, byExit, session, round, prompt }, effect, signal) => {
      const handoff = join(cwd, 'handoffs', `${session}-${round}.json`);
      const files = { handoff, prompt: join(outputs.folderOf({ session, round }), 'prompt.md') };
      const place = { commands, outputs, workspace: cwd, files, env: { BOSUN_HANDOFF: handoff } };
      const command = { session, round, run, byExit, report: null, usage: 'claude', prompt, input: null } as const;
      return runSession(command, place, { effect, signal });
    },
  };
}

it('the usage of a coding agent is counted once, wherever its host ends', async () => {
  const { total_cost_usd: costUsd } = JSON.parse(readFileSync(SAMPLE, 'utf8')) as { total_cost_usd: number };
  const write = `printf '%s' '${JSON.stringify(DONE)}' > "$BOSUN_HANDOFF.new"`;
  const does = {
    kind: 'command',
    run: `cat '${SAMPLE}'\n${write}\nmv "$BOSUN_HANDOFF.new" "$BOSUN_HANDOFF"`,
    usage: 'claude',
  };
  for (let cut = 1, isCut = true; isCut; cut += 1) {
    await begin(host());
    const { store } = test;
    const before = store.writes;
    await order(does);
    await until(
      () => hasClosed() || store.writes >= before + cut,
      () => 'the cut',
    );
    isCut = !hasClosed();
    if (isCut) {
      await test.crash();
      await test.restart(hubCrew(host()));
      await until(hasClosed, () => 'the end of the session');
    }
    await expect.poll(sessions, { interval: 2, timeout: 20_000 }).toHaveLength(1);
    expect([cut, ...(await sessions())]).toMatchObject([
      cut,
      { outcome: 'done', usage: { tokens: 71_725, costUsd, steps: 7 } },
    ]);
    await expect.poll(spentUsd, { interval: 2, timeout: 20_000 }).toBe(costUsd);
    expect(cut).toBeLessThan(100);
    if (!isCut) return;
    await test.system.stop();
    await new LeftOvers(cwd).end();
    rmSync(cwd, { recursive: true });
    cwd = mkdtempSync(join(tmpdir(), 'bosun-doers-'));
  }
});
