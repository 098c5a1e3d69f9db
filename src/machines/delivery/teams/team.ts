/**
 * The one machine of all teams that work by themselves: it takes what its rules take, does one piece of work after the
 * other through its port, and says what comes of each. What a team does is data: its rules, its port and its times are
 * in the file of its work. It never hands off by itself: the organisation does.
 */
import { setup } from 'xstate';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { table, type Table } from '../../../table.ts';
import { numberKey } from '../../rules/table-keys.ts';
import { inTurn, ruled, type Rules, type Turn } from '../../rules/turn.ts';
import { heard, type Known, late, type Port, type PortContract, portLogic } from '../../work/port.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { type TeamId } from '../organisation/teams.ts';
import { type TaskEvent } from '../tasks/task-state.ts';

export interface TeamContext<Job = unknown> {
  /** Work that waits, and the one under way, by number. */
  readonly jobs: Table<{ readonly job: Job; readonly dueAtMs: number }>;
  readonly nextJob: number;
  /** The number of the last task, for the team that numbers them. */
  readonly tasks: number;
  readonly plans: number;
  /** Whether there are as many tasks as may be. */
  readonly isFull: boolean;
  /** Work that waits for an answer from elsewhere, by a name of the team's. */
  readonly asked: Table<unknown>;
  /** Numbers of what it has done so far, for people. */
  readonly figures: Figures;
  /** Settings of the host that differ from those of the team. */
  readonly settings: object;
}

export type Figures = Readonly<Record<string, number>>;

export type TeamTurn<Job> = Turn<TeamContext<Job>>;

/** The work of a team. */
export interface TeamWork<Job, Input extends object, Answer> {
  readonly team: TeamId;
  readonly rules: Rules<TeamContext<Job>>;
  readonly contract: PortContract<Answer>;
  /** The question to the port about a piece of work. */
  readonly ask: (job: Job) => Input;
  /** Called with the answer of the port; null without a port. */
  readonly finish: (turn: TeamTurn<Job>, job: Job, answer: Known<Answer | null>) => void;
  readonly records?: Parameters<typeof defineAgent>[0]['records'];
}

/** Counts up figures of an agent. */
export function count<Context extends { readonly figures: Figures }>(turn: Turn<Context>, more: Figures): void {
  const figures = { ...turn.context.figures };
  for (const [name, number] of Object.entries(more)) figures[name] = (figures[name] ?? 0) + number;
  turn.assign({ figures } as Partial<Context>);
}

/** Adds a piece of work that begins after `afterMs`. */
export function addJob<Job>(turn: TeamTurn<Job>, job: Job, afterMs = 0): void {
  const { jobs, nextJob } = turn.context;
  turn.assign({ jobs: jobs.set(numberKey(nextJob), { job, dueAtMs: turn.nowMs + afterMs }), nextJob: nextJob + 1 });
}

/** Tells a task something, through the orchestrator. */
export function toTask(turn: Pick<Turn<object, never>, 'send'>, task: string, event: TaskEvent): void {
  turn.send(WORK_DESKS.orchestrator, { type: 'task.tell', task, event });
}

/**
 * Makes the agent of a team.
 *
 * @param port The function of the host that does the work. Default: none, and the team goes on without an answer.
 */
export function teamAgent<Job, Input extends object, Answer>(
  { team, rules, contract, ask, finish, records = {} }: TeamWork<Job, Input, Answer>,
  port: Port<Input, unknown> = () => Promise.resolve(null),
) {
  type Context = TeamContext<Job>;
  const { decide, on, events } = ruled<Context, Rules<Context>>(rules);
  const nullable = { ...contract, answer: contract.answer.nullable() };
  const first = ({ jobs }: Context) => [...jobs.entries()][0];
  const finished = inTurn((turn: TeamTurn<Job>, event: { readonly type: string }) => {
    const [key, { job }] = first(turn.context)!;
    turn.assign({ jobs: turn.context.jobs.delete(key) });
    const isLate = !('output' in event) && !('error' in event);
    finish(turn, job, isLate ? late(contract) : heard<Answer | null>(nullable, event));
  });
  const machine = setup({
    types: {} as { context: Context; events: { readonly type: string }; input: object | undefined },
    // XState cannot tell that the input of a type parameter is an object.
    actors: { work: portLogic<object, unknown>(port as Port<object, unknown>) },
    delays: {
      due: ({ context, self }) => Math.max(0, first(context)![1].dueAtMs - timeOf(self)),
      patience: contract.timeoutMs,
    },
    guards: { hasWork: ({ context }) => context.jobs.size > 0 },
    actions: { decide, finished },
  }).createMachine({
    id: team,
    context: ({ input: settings = {} }) => ({
      ...{ jobs: table(), nextJob: 1, tasks: 0, plans: 0, isFull: false, asked: table(), figures: {}, settings },
    }),
    on: on as never,
    initial: 'idle',
    states: {
      idle: { always: { guard: 'hasWork', target: 'waiting' } },
      waiting: { tags: 'busy', after: { due: 'working' } },
      working: {
        tags: 'busy',
        invoke: {
          src: 'work',
          input: ({ context }) => ask(first(context)![1].job),
          onDone: { target: 'idle', actions: 'finished' },
          onError: { target: 'idle', actions: 'finished' },
        },
        after: { patience: { target: 'idle', actions: 'finished' } },
      },
    },
  });
  return defineAgent({
    ...{ name: `${team}-team`, version: 3, machine, records, events: events as Record<string, never> },
    migrate: {
      // The first version asked nobody.
      2: ({ value, context }) => ({ value, context: { ...context, asked: table() } }) as never,
      // The second one counted nothing, and had no settings.
      3: ({ value, context }) => ({ value, context: { ...context, figures: {}, settings: {} } }) as never,
    },
  });
}
