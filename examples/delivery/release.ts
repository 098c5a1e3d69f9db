/**
 * The release: hands the plan in, waits until its tasks are verified, asks people whether to release, and then merges,
 * publishes, tells and reports. It is one actor for the whole job, and continues where it was.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, defineAgent, effectOf, type Table } from 'bosun';
import { askPeople, formOf } from 'bosun/machines';
import { assign, emit, fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { reportOn, tasksOf } from './report.ts';
import { type Said } from './session.ts';
import { paced, STAND_IN, type Workplace } from './workplace.ts';

export const VERSION = '1.1.0';

/** The kind of the gate before the release. */
const KIND = 'release';

/** Milliseconds after which an unanswered gate keeps the release back. */
const DEADLINE_MS = 3_600_000;

/** The decision of people about the release. */
const decision = z.object({ decision: z.enum(['release', 'keep back']) });

/** The parts of a release. */
interface Material {
  readonly version: string;
  readonly tasks: readonly string[];
  /** The changed files, as git sums them up. */
  readonly changes: readonly string[];
}

interface ReleaseContext {
  /** The material for the decision; null until everything is verified. */
  readonly material: Material | null;
  /** The person who has let it go; null before. */
  readonly by: string | null;
  readonly reports: readonly string[];
  readonly failure: string | null;
}

/** The result of the release: the reports, or why there was none. */
export type ReleaseResult = ReleaseContext;

const plan: unknown = JSON.parse(readFileSync(join(import.meta.dirname, 'plan.json'), 'utf8'));

/** Makes the agent of the release. */
export function releaseAgent(place: Workplace) {
  const { repository, outside, patienceMs } = place;
  /** An effect that is counted outside once, whatever happens to this process. */
  const once = (what: string, work: () => Promise<unknown> = () => Promise.resolve()) =>
    fromPromise<void, undefined>(async ({ self, signal }) => {
      const { effectId } = effectOf(self);
      await paced(place, signal, work);
      outside.once(effectId, what);
    });
  const says = (text: string) => ({ type: 'say', params: { text } }) as const;
  const fails = {
    target: 'failed',
    actions: { type: 'note', params: ({ event }: { event: { error: unknown } }) => String(event.error) },
  } as const;
  const machine = setup({
    types: {} as {
      context: ReleaseContext;
      emitted: Said;
      output: ReleaseResult;
    },
    actors: {
      ...{ ask, askPeople },
      ended: fromPromise<Ended>(() => ended(place)),
      merge: once(`merged ${VERSION} into main`, () => repository.release(VERSION, '- VAT, shipping and vouchers.')),
      publish: once(`published ${VERSION}`),
      tell: once(`told everybody of ${VERSION}`),
      standIn: fromPromise<void>(() => standIn(place)),
      report: fromPromise<string[], string>(({ input: by }) => reportOn(place, { version: VERSION, by })),
    },
    actions: {
      say: emit((_, { text }: { text: string }) => ({ type: 'said' as const, who: 'release', text })),
      note: assign({ failure: (_, failure: string) => failure }),
    },
    guards: {
      isTaken: (_, reply: unknown) => (reply as { readonly taken: boolean }).taken,
      isVerified: (_, { unverified }: Ended) => unverified.length === 0,
      isReleased: (_, answer: unknown) => decision.safeParse(answer).data?.decision === 'release',
    },
    delays: { patience: patienceMs },
  }).createMachine({
    id: 'release',
    context: { material: null, by: null, reports: [], failure: null },
    output: ({ context }) => context,
    initial: 'planning',
    states: {
      planning: {
        invoke: {
          src: 'ask',
          input: { to: 'delivery/planning', event: { type: 'plan.submit', plan, by: 'ada' }, timeoutMs: 30_000 },
          onDone: [
            {
              guard: { type: 'isTaken', params: ({ event }: { event: { output: unknown } }) => event.output },
              target: 'working',
            },
            {
              target: 'failed',
              actions: {
                type: 'note',
                params: ({ event }) => (event.output as { problems: readonly string[] }).problems.join('; '),
              },
            },
          ],
          onError: fails,
        },
      },
      working: {
        entry: says('has handed in plan.json; the crew begins'),
        invoke: {
          src: 'ended',
          onDone: [
            {
              guard: { type: 'isVerified', params: ({ event }) => event.output },
              target: 'asking',
              actions: assign({ material: ({ event }) => event.output.material }),
            },
            {
              target: 'failed',
              actions: { type: 'note', params: ({ event }) => `not verified: ${event.output.unverified.join(', ')}` },
            },
          ],
          onError: fails,
        },
      },
      asking: {
        entry: says('everything is verified. Release it? The page has the question: Inbox'),
        invoke: {
          src: 'askPeople',
          input: ({ context }) => ({
            ...{ id: 'release', kind: KIND, title: `Release ${VERSION}?`, audience: ['*'], form: formOf(decision) },
            ...{
              proposal: 'VAT, shipping and vouchers',
              package: context.material,
              deadlineMs: Math.max(DEADLINE_MS, 2 * patienceMs),
            },
          }),
          onDone: [
            {
              guard: {
                type: 'isReleased',
                params: ({ event }: { event: { output: { answer: unknown } } }) => event.output.answer,
              },
              target: 'merging',
              actions: assign({ by: ({ event }) => event.output.by }),
            },
            {
              target: 'failed',
              actions: { type: 'note', params: ({ event }) => `kept back by ${event.output.by ?? 'nobody'}` },
            },
          ],
        },
        initial: 'people',
        states: {
          people: { after: { patience: 'nobody' } },
          nobody: { invoke: { src: 'standIn' } },
        },
      },
      merging: { invoke: { src: 'merge', onDone: 'publishing', onError: fails } },
      publishing: { entry: says('merged into main'), invoke: { src: 'publish', onDone: 'telling', onError: fails } },
      telling: { entry: says(`published ${VERSION}`), invoke: { src: 'tell', onDone: 'reporting', onError: fails } },
      reporting: {
        invoke: {
          src: 'report',
          input: ({ context }) => context.by ?? '',
          onDone: { target: 'done', actions: assign({ reports: ({ event }) => event.output }) },
          onError: fails,
        },
      },
      done: { type: 'final' },
      failed: { type: 'final' },
    },
  });
  return defineAgent({ name: 'release', machine, events: {}, trace: { keep: 100 } });
}

interface Ended {
  readonly unverified: readonly string[];
  readonly material: Material;
}

interface Tasks {
  readonly rows: Table<{ readonly isOver: boolean }>;
}

/** Waits until no task of the plan is under way, and resolves with what there is to release. */
async function ended({ system, repository }: Workplace): Promise<Ended> {
  const desk = await system().actor('delivery/orchestrator');
  const isOver = ({ rows }: Tasks) => [...rows.values()].every((task) => task.isOver);
  await desk.waitFor(({ context }) => isOver(context as Tasks));
  const tasks = await tasksOf(system());
  const changes = (await repository.git('diff', '--stat', 'v1.0.0', 'next')).split('\n').map((line) => line.trim());
  return {
    unverified: tasks.filter(({ status }) => status !== 'verified').map(({ id }) => id),
    material: { version: VERSION, tasks: tasks.map(({ id, title }) => `${id}: ${title}`), changes },
  };
}

/** Answers the gate for people who have not, and says so. */
async function standIn({ system }: Workplace): Promise<void> {
  const open = await system().ask<readonly { readonly id: string; readonly kind: string }[]>('gates', {
    type: 'gate.list',
    isOpen: true,
  });
  const answer = { decision: 'release' };
  for (const { id: gate } of open.filter(({ kind }) => kind === KIND))
    await system().ask('gates', { type: 'gate.answer', gate, by: STAND_IN, answer });
}
