/**
 * A session of the crew on one task: chooses the agents, asks what the coder has to know, has it coded in a worktree,
 * tested and reviewed, settles what coder and reviewer dispute, and merges it. Each step is an effect that may begin
 * again after a kill; what its statechart has reached is not done again. What is done in each step is in steps.ts.
 */
import { defineAgent } from 'bosun';
import { assign, emit, setup } from 'xstate';
import { type Directive, type Reply, type Settled, stepsOf, textOfReply } from './steps.ts';
import { type Objection } from './reviewer.ts';
import { type Team, teamFor } from './profiles.ts';
import { type TestRun } from './tester.ts';
import { bosunLine, type Workplace } from './workplace.ts';

/** How often a coder may try again after its own tests have failed. */
const TRIES_MAX = 3;

export interface SessionContext {
  readonly directive: Directive;
  readonly team: Team | null;
  readonly reply: Reply | null;
  readonly files: readonly string[];
  readonly tests: TestRun | null;
  readonly tries: number;
  readonly objection: Objection | null;
  readonly settled: Settled | null;
  readonly failure: string | null;
}

/** The result of a session, with what it has been about. */
export type SessionResult = Omit<SessionContext, 'tries'> & { readonly status: 'done' | 'blocked' | 'failed' };

/** A line of the story, for people. */
export interface Said {
  readonly type: 'said';
  readonly who: string;
  readonly text: string;
}

/** Makes the agent of sessions. */
export function sessionAgent(place: Workplace) {
  const says = (text: (context: SessionContext) => string, role: keyof Team = 'coder') =>
    ({ type: 'say', params: ({ context }: { context: SessionContext }) => ({ role, text: text(context) }) }) as const;
  const ofQuestion = ({ reply }: SessionContext) => {
    const line = bosunLine(place.data, `tickets reply ${reply!.ticket} "${reply!.example}"`);
    return `${reply!.question} Say it on the page, or by ${line}`;
  };
  const fails = {
    target: 'failed',
    actions: { type: 'note', params: ({ event }: { event: { error: unknown } }) => textOf(event.error) },
  } as const;
  const machine = setup({
    types: {} as {
      context: SessionContext;
      emitted: Said;
      input: Directive;
      output: SessionResult;
    },
    actors: stepsOf(place),
    delays: { pace: place.paceMs, patience: place.patienceMs },
    actions: {
      say: emit(({ context }, { role, text }: { role: keyof Team; text: string }) => ({
        type: 'said' as const,
        who: context.team?.[role].agent ?? 'crew',
        text: `${context.directive.taskId}: ${text}`,
      })),
      note: assign({ failure: (_, failure: string) => failure }),
    },
    guards: {
      isWaiting: (_, reply: Reply | null) => reply?.status === 'waiting',
      hasFailed: (_, tests: TestRun) => tests.fails > 0,
      isAgreed: (_, objection: Objection | null) => objection === null,
      isUpheld: (_, settled: Settled) => settled.isUpheld,
      mayTry: ({ context }) => context.tries < TRIES_MAX,
    },
  }).createMachine({
    id: 'session',
    context: ({ input: directive }) => ({
      directive,
      ...{ team: null, reply: null, files: [], tests: null, tries: 0, objection: null, settled: null, failure: null },
    }),
    output: ({ context }) => resultOf(context),
    initial: 'choosing',
    states: {
      choosing: {
        entry: [
          assign({ team: ({ context: { directive } }) => teamFor(`${directive.title}. ${directive.description}`) }),
          says(({ team }) => `chosen as coder: ${team!.coder.reason}`),
        ],
        after: { pace: 'asking' },
      },
      asking: {
        invoke: {
          src: 'ask',
          input: ({ context }) => context,
          onDone: [
            {
              guard: { type: 'isWaiting', params: ({ event }) => event.output },
              target: 'waiting',
              actions: assign({ reply: ({ event }) => event.output }),
            },
            { target: 'coding', actions: [assign({ reply: ({ event }) => event.output }), says(ofReply)] },
          ],
          onError: fails,
        },
      },
      /** A person has to answer. The task is given to another session then; this one only looks after the person. */
      waiting: {
        entry: says(ofQuestion),
        invoke: { src: 'answered', input: ({ context }) => context.reply!, onDone: 'over', onError: 'over' },
        after: { patience: 'standingIn' },
      },
      standingIn: {
        invoke: {
          src: 'standIn',
          input: ({ context }) => context.reply!,
          onDone: 'over',
          onError: 'over',
        },
      },
      coding: {
        entry: assign({ tries: ({ context }) => context.tries + 1 }),
        invoke: {
          src: 'code',
          input: ({ context }) => context,
          onDone: {
            target: 'testing',
            actions: [assign({ files: ({ event }) => event.output }), says(({ files }) => `wrote ${files.join(', ')}`)],
          },
          onError: fails,
        },
      },
      testing: {
        invoke: {
          src: 'test',
          input: ({ context }) => context,
          onDone: [
            {
              guard: { type: 'hasFailed', params: ({ event }) => event.output },
              target: 'failing',
              actions: [assign({ tests: ({ event }) => event.output }), says(ofTests, 'tester')],
            },
            { target: 'reviewing', actions: [assign({ tests: ({ event }) => event.output }), says(ofTests, 'tester')] },
          ],
          onError: fails,
        },
      },
      failing: {
        always: [
          { guard: 'mayTry', target: 'coding' },
          { target: 'failed', actions: { type: 'note', params: ({ context }) => context.tests!.said } },
        ],
      },
      reviewing: {
        invoke: {
          src: 'review',
          input: ({ context }) => context,
          onDone: [
            { guard: { type: 'isAgreed', params: ({ event }) => event.output }, target: 'merging' },
            { target: 'debating', actions: assign({ objection: ({ event }) => event.output }) },
          ],
          onError: fails,
        },
      },
      debating: {
        entry: says(
          ({ objection }) => `${objection!.finding} (${objection!.evidence}); I want: ${objection!.wanted}`,
          'reviewer',
        ),
        invoke: {
          src: 'debate',
          input: ({ context }) => context,
          onDone: [
            {
              guard: { type: 'isUpheld', params: ({ event }) => event.output },
              target: 'coding',
              actions: [assign({ settled: ({ event }) => event.output }), says(ofDebate, 'reviewer')],
            },
            {
              target: 'merging',
              actions: [assign({ settled: ({ event }) => event.output }), says(ofDebate, 'reviewer')],
            },
          ],
          onError: fails,
        },
      },
      merging: {
        invoke: {
          src: 'merge',
          input: ({ context }) => context,
          onDone: { target: 'done', actions: says(() => 'merged into next') },
          onError: fails,
        },
      },
      done: { type: 'final' },
      over: { type: 'final' },
      failed: { type: 'final', entry: says(({ failure }) => `gives up: ${failure}`) },
    },
  });
  return defineAgent({ name: 'session', machine, events: {}, trace: { keep: 100 } });
}

const ofReply = ({ reply }: SessionContext) => (reply === null ? 'knows all that it needs' : textOfReply(reply));
const ofTests = ({ tests }: SessionContext) => `tests of the change: ${tests!.passes} passed, ${tests!.fails} failed`;
const ofDebate = ({ settled }: SessionContext) =>
  `debate settled: ${settled!.statement}; credibility ${settled!.scores?.join(' to ') ?? 'unknown'}`;

function resultOf({ tries: _, ...facts }: SessionContext): SessionResult {
  const { failure, reply } = facts;
  return { ...facts, status: failure !== null ? 'failed' : reply?.status === 'waiting' ? 'blocked' : 'done' };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
