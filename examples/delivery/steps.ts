/**
 * The steps of a session: what each does to the repository, the desks and the world outside. A step may begin again
 * after a kill, with the same effect id, and does not do twice what counts.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { effectOf } from 'bosun';
import { fromPromise, type PromiseActorLogic } from 'xstate';
import { questionAbout } from './coder.ts';
import { objectionTo, type Objection } from './reviewer.ts';
import { type SessionContext } from './session.ts';
import { testRun, type TestRun } from './tester.ts';
import { paced, STAND_IN, type Workplace } from './workplace.ts';

/** A task as the delivery organisation gives it to a session. */
export interface Directive {
  readonly taskId: string;
  readonly title: string;
  readonly description: string;
  readonly acceptanceCriteria: readonly string[];
  readonly relatedFiles: readonly string[];
  readonly notes: readonly string[];
  readonly attempt: number;
}

/** The fate of the coder's question. */
export interface Reply {
  readonly status: 'answered' | 'provisional' | 'waiting' | 'refused';
  readonly question: string;
  readonly answer: string | null;
  /** The person who gave the answer; null for one from a file. */
  readonly by: string | null;
  readonly confidence: number;
  readonly ticket: string | null;
  /** An answer as a person may give it. */
  readonly example: string;
}

/** A question with its answer, in a line: an answer from a file names its file and line itself. */
export function textOfReply({ question, answer, by, confidence }: Reply): string {
  return `${question} ${answer} (${by === null ? '' : `${by}, `}${confidence} %)`;
}

/** The result of a debate. */
export interface Settled {
  /** Whether the reviewer was right. */
  readonly isUpheld: boolean;
  readonly statement: string;
  /** The credibility of reviewer and coder, where it has decided. */
  readonly scores: readonly string[] | null;
}

/** The answer desk's reply, as far as it counts here. */
interface AskReply {
  readonly status: Reply['status'];
  readonly answer: string | null;
  readonly decided_by: string | null;
  readonly ticket_id: string | null;
  readonly confidence: number;
  readonly problems: readonly string[];
}

interface OrderReply {
  readonly taken: boolean;
  readonly problems: readonly string[];
}

/** Milliseconds for which a coder waits for an answer before it takes another task. */
const ANSWER_MS = 3_000;

/** Milliseconds for which coder and reviewer try to agree, before the facilitator decides. */
const AGREE_MS = 5_000;

/** The context of the debate, in which the records of both sides are compared. */
export const FIELD = { field: 'sums', matter: 'rounding', unit: 'cents', product: 'checkout' } as const;

/** The branch, worktree and actor of a session. */
export const sessionOf = ({ taskId, attempt }: Directive) => `${taskId}.${attempt}`;

type Step<Output, Input = SessionContext> = (
  input: Input,
  facts: { readonly effectId: string; readonly signal: AbortSignal; readonly self: object },
) => Promise<Output>;

/** The actors that sessions invoke. */
export function stepsOf(place: Workplace) {
  const step = <Output, Input = SessionContext>(does: Step<Output, Input>): PromiseActorLogic<Output, Input> =>
    fromPromise(({ input, self, signal }) => {
      const { effectId } = effectOf(self);
      return paced(place, signal, () => does(input, { effectId, signal, self }));
    });
  return {
    ask: step((context) => ask(place, context)),
    code: step((context, { effectId, signal }) => code(place, context, effectId, signal)),
    test: step(({ directive, files }, { signal }) => test(place, directive, files, signal)),
    review: step((context) => review(place, context)),
    debate: step((context) => debate(place, context)),
    merge: step(async ({ directive }: SessionContext, { effectId }) => {
      const { taskId, title } = directive;
      await place.repository.merge(sessionOf(directive), `${taskId}: ${title}`);
      place.outside.once(effectId, `merged ${taskId}`);
    }),
    answered: step(({ ticket }: Reply) => answered(place, ticket!)),
    standIn: step((reply: Reply) => standIn(place, reply)),
  };
}

/** Asks the answer desk what the coder has to know. Another session of the same task gets the answer of the first. */
async function ask({ system }: Workplace, { directive, team }: SessionContext): Promise<Reply | null> {
  const wanted = questionAbout(directive.title);
  if (wanted === null) return null;
  const bundle = {
    question: wanted.question,
    possible_options: wanted.options,
    current_task_id: directive.taskId,
    ...{ priority_level: 1, confidence_level: 40, context_summary: directive.description },
  };
  const event = { type: 'answers.ask', asker: team!.coder.agent, bundle, maxWaitMs: ANSWER_MS };
  const reply = await system().ask<AskReply>('answers', event, { timeoutMs: 2 * ANSWER_MS + 10_000 });
  const { status, answer, decided_by: by, ticket_id: ticket, confidence, problems } = reply;
  if (status === 'refused') throw new Error(problems.join('; '));
  return { status, question: wanted.question, answer, by, confidence, ticket, example: wanted.example };
}

/** Has the coder write the files, and commits them. Its work is paid for once, whatever happens to this process. */
async function code(
  { repository, outside, coder }: Workplace,
  { directive, team, reply, settled, tests }: SessionContext,
  effectId: string,
  signal: AbortSignal,
): Promise<string[]> {
  const session = sessionOf(directive);
  const folder = await repository.worktree(session);
  const told = [directive.description, ...directive.acceptanceCriteria, ...directive.notes, tests?.said ?? ''];
  const written = await coder(
    {
      ...{ title: directive.title, told: told.join('\n'), files: directive.relatedFiles, folder },
      ...{ answer: reply?.answer ?? null, decided: settled?.statement ?? null },
    },
    signal,
  );
  for (const [file, text] of Object.entries(written)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const files = Object.keys(written);
  await repository.commit(session, files, `${directive.taskId}: ${directive.title}`);
  outside.once(effectId, `${team!.coder.agent} wrote ${files.join(', ')} for ${directive.taskId}`);
  return files;
}

/** Runs the tests of the change; those of a change without tests of its own are all that there are. */
async function test(
  { repository, outside }: Workplace,
  directive: Directive,
  files: readonly string[],
  signal: AbortSignal,
): Promise<TestRun> {
  outside.again(`node --test for ${directive.taskId}`);
  const folder = await repository.worktree(sessionOf(directive));
  return testRun(
    folder,
    files.filter((file) => file.startsWith('test/')),
    signal,
  );
}

/** Has the linter and the reviewer look at the files. */
async function review({ system, repository }: Workplace, { directive, files, settled }: SessionContext) {
  const folder = await repository.worktree(sessionOf(directive));
  const flaws = await system().ask<string[]>('tools/linter', { type: 'check', folder, files }, { timeoutMs: 60_000 });
  if (flaws.length > 0) throw new Error(`the style: ${flaws.join('; ')}`);
  // What was decided is not disputed again.
  return settled === null ? await objectionTo(folder, files) : null;
}

/** Challenges the coder, and waits for the end of the debate. */
async function debate({ system }: Workplace, { directive, team, objection }: SessionContext): Promise<Settled> {
  const id = directive.taskId;
  // An earlier start may have opened it, and then this challenge is refused.
  const { problems } = await system().ask<OrderReply>('debates', challengeOf(directive, team!, objection!));
  const listed = () => system().ask<readonly ListedDebate[]>('debates', { type: 'debate.list' });
  if (!(await listed()).some((one) => one.id === id)) throw new Error(problems.join('; '));
  await system().result(`open-debates/${id}`);
  const { summary, analysis } = (await listed()).find((one) => one.id === id)!;
  const isUpheld = summary?.side === 'challenger';
  const { finding, wanted } = objection!;
  const scores = analysis && [analysis.challenger.score, analysis.challenged.score].map((score) => score.toFixed(2));
  return { isUpheld, statement: isUpheld ? wanted : finding, scores };
}

function challengeOf(
  { taskId, title }: Directive,
  { coder, reviewer }: NonNullable<SessionContext['team']>,
  objection: Objection,
) {
  const { file, finding, wanted, evidence } = objection;
  return {
    ...{ type: 'debate.challenge', id: taskId, topic: `How ${file} rounds`, item: title, priority: 'ordinary' },
    ...{ challenger: { agent: reviewer.agent }, challenged: { agent: coder.agent }, disputedFinding: finding },
    basis: { statement: evidence, evidence: [{ kind: 'calculation', source: file, strength: 0.9 }] },
    positions: { challenger: { statement: wanted }, challenged: { statement: finding } },
    ...{ context: FIELD, escalationMs: AGREE_MS },
  };
}

/** A debate in the list of its desk. */
interface ListedDebate {
  readonly id: string;
  /** The side that was right; null until it is over, or if it has failed. */
  readonly summary: { readonly side: 'challenger' | 'challenged' | null } | null;
  /** The credibility of both sides, where it has decided. */
  readonly analysis: Readonly<Record<'challenger' | 'challenged', { readonly score: number }>> | null;
}

/** Waits until a person has settled a ticket. */
async function answered({ system }: Workplace, ticket: string): Promise<void> {
  const actor = await system().actor(`open-tickets/${ticket}`);
  await actor.waitFor(({ status, value }) => status !== 'active' || value === 'resolved' || value === 'rejected');
}

/** Answers for a person who has not, and says so. */
async function standIn({ system }: Workplace, { ticket, example: text }: Reply): Promise<void> {
  const reason = 'nobody has answered: the stand-in of the example speaks';
  await system().ask('tickets', { type: 'tickets.resolve', ticket, by: STAND_IN, text, reason });
}
