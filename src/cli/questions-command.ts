/**
 * `bosun questions` and `bosun answers`: ask the answer desk of a running system, read what became of questions, and
 * correct an answer. They call the procedures of the desk, so they work over any gateway.
 */
import { existsSync } from 'node:fs';
import { type ConfidenceFactors } from '../machines/answers/confidence.ts';
import { type AnswerUser, type QuestionRow } from '../machines/answers/desk-state.ts';
import { type AskReply } from '../machines/answers/question-state.ts';
import { type Precedent } from '../machines/answers/precedents.ts';
import { BosunError } from '../errors.ts';
import { plainLine } from '../plain-text.ts';
import { factorFacts } from './confidence-facts.ts';
import { dataDirectory, hasStore } from './data-directory.ts';
import { withData } from './data-work.ts';
import { refusedOrder } from './desk-view.ts';
import { EXIT, type ExitCode, writeError } from './exit-codes.ts';
import { type LiveGateway } from './live-gateway.ts';
import { jsonLine, timeText } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';
import { factsText, tableText } from './table.ts';

/** The command that starts a system with an answer desk. */
const STARTER = 'bosun desk';

/** Milliseconds for transport, beyond the time for which the desk waits. */
const WAY_MS = 5_000;

export interface AskCommand extends DataCommand {
  readonly question: string;
  readonly options: readonly string[];
  /**
   * The folder whose files answer: always if it was named, else where no system runs and there is no store. Undefined:
   * a desk has to answer.
   */
  readonly folder: { readonly path: string; readonly isNamed: boolean } | undefined;
  /** Whether to show what the confidence is made of. */
  readonly explain: boolean;
  readonly task: string | undefined;
  readonly priority: number | undefined;
  readonly confidence: number | undefined;
  readonly waitSeconds: number | undefined;
}

type Question = Pick<
  QuestionRow,
  'id' | 'text' | 'asker' | 'task' | 'status' | 'priority' | 'response' | 'factors' | 'by' | 'ticket' | 'askedAtMs'
>;

/**
 * Asks a question and prints the answer. Resolves to 0 with an answer, 3 if a person has to answer, 5 if the question
 * is refused.
 */
export async function askQuestionCommand(command: AskCommand): Promise<ExitCode> {
  const { folder } = command;
  if (folder === undefined || (!folder.isNamed && hasDesk(command))) return askDesk(command);
  const { askFolderCommand } = await import('./folder-question.ts');
  return askFolderCommand({ ...command, folder: folder.path });
}

/** Whether a gateway is named, or a system has its store in the data directory. */
function hasDesk({ remote, ...command }: AskCommand): boolean {
  const directory = dataDirectory(command);
  return remote !== undefined || hasStore(directory) || existsSync(directory.workers);
}

function askDesk(command: AskCommand): Promise<ExitCode> {
  const { question, options, task, priority, confidence, waitSeconds = 25, explain, json, out } = command;
  const params = {
    question,
    ...(options.length > 0 && { possible_options: options }),
    ...(task !== undefined && { task_id: task }),
    ...(priority !== undefined && { priority_level: priority }),
    ...(confidence !== undefined && { confidence_level: confidence }),
    max_wait_seconds: waitSeconds,
  };
  return withData(command, {
    starter: STARTER,
    live: async (gateway) => {
      const within = { deadlineMs: waitSeconds * 1_000 + WAY_MS };
      const reply = await called<AskReply>(gateway, 'answers.ask', params, within);
      const factors = explain ? await factorsOf(gateway, reply) : null;
      out.write(json ? jsonLine({ ...reply, ...(explain && { factors }) }) : replyText(reply, factors));
      if (reply.status === 'refused') return EXIT.refused;
      return reply.status === 'answered' ? EXIT.completed : EXIT.paused;
    },
  });
}

/** Prints questions, the latest first. Without `all`, only those that wait for an answer or for a person. */
export function listQuestionsCommand(command: DataCommand & { readonly all: boolean }): Promise<ExitCode> {
  const { all, json, out, err } = command;
  return withData(command, {
    starter: STARTER,
    live: async (gateway) => {
      const { questions } = await called<{ questions: Question[] }>(
        gateway,
        'answers.list',
        all ? {} : { is_open: true },
      );
      if (json) return void out.write(questions.map(jsonLine).join(''));
      if (questions.length === 0) return void err.write('no questions\n');
      const cells = questions.map(({ id, status, ticket, asker, task, askedAtMs, text }) =>
        [id, status, ticket, asker, task, timeText(askedAtMs), text].map((cell) => cell ?? ''),
      );
      out.write(tableText([['ID', 'STATE', 'TICKET', 'ASKED BY', 'TASK', 'SINCE', 'QUESTION'], ...cells]));
    },
  });
}

/** Prints one question with its answer, its users and its history. */
export function showQuestionCommand(command: DataCommand & { readonly id: string }): Promise<ExitCode> {
  const { id, json, out } = command;
  return withData(command, {
    starter: STARTER,
    live: async (gateway) => {
      const shown = await called<Shown>(gateway, 'answers.show', { question_id: id });
      const { question } = shown;
      if (question === null)
        throw new BosunError('BOSUN_ACTOR_UNKNOWN', `no question "${id}"; bosun questions list --all`);
      out.write(
        json ? jsonLine({ ...question, users: shown.users, earlier: shown.earlier }) : shownText(shown, question),
      );
    },
  });
}

interface Shown {
  readonly question: Question | null;
  readonly users: readonly Pick<AnswerUser, 'asker' | 'task' | 'atMs'>[];
  readonly earlier: Precedent['earlier'];
}

/** Prints people's answers to questions that are similar to a text. */
export function searchAnswersCommand(command: DataCommand & { readonly text: string }): Promise<ExitCode> {
  const { text, json, out, err } = command;
  return withData(command, {
    starter: STARTER,
    live: async (gateway) => {
      const { found } = await called<{ found: (Precedent & { likeness: number })[] }>(gateway, 'answers.search', {
        text,
      });
      if (json) return void out.write(found.map(jsonLine).join(''));
      if (found.length === 0) return void err.write('nobody has said anything about it yet\n');
      const cells = found.map(({ question, likeness, by, atMs, text: asked, answer }) => [
        ...[question, `${Math.round(likeness * 100)} %`, by, timeText(atMs), asked, answer],
      ]);
      out.write(tableText([['ID', 'ALIKE', 'BY', 'AT', 'QUESTION', 'ANSWER'], ...cells]));
    },
  });
}

export interface CorrectCommand extends DataCommand {
  readonly id: string;
  readonly text: string;
  readonly by: string;
  readonly reason: string | undefined;
  /** Whether to apply the correction. If not, only the users who would be told are listed. */
  readonly isSure: boolean;
}

/** Corrects an answer, or lists the users who would be told. */
export function correctAnswerCommand(command: CorrectCommand): Promise<ExitCode> {
  const { id, text, by, reason, isSure, json, out } = command;
  return withData(command, {
    starter: STARTER,
    live: async (gateway) => {
      const { users } = await called<Pick<Shown, 'users'>>(gateway, 'answers.users', { question_id: id });
      const names = users.map(({ asker, task }) => (task === null ? asker : `${asker} (${task})`)).join(', ');
      if (!isSure) {
        if (json) out.write(jsonLine({ type: 'correction', question: id, users, done: false }));
        const said = `${names === '' ? 'nobody' : names} would be told. Repeat it with --yes`;
        writeError(command, 'BOSUN_CALL_INVALID', plainLine(said));
        return EXIT.badInput;
      }
      const params = { question_id: id, text, by, ...(reason !== undefined && { reason }) };
      const reply = await called<{ taken: boolean; problems: string[]; told: number }>(
        gateway,
        'answers.correct',
        params,
      );
      if (!reply.taken) throw refusedOrder(reply.problems.join('; '));
      const said = `${id} says now: ${text}. Told: ${names === '' ? 'nobody' : names}`;
      out.write(
        json
          ? jsonLine({ type: 'correction', question: id, users, told: reply.told, done: true })
          : `${plainLine(said)}\n`,
      );
      return EXIT.completed;
    },
  });
}

/** Calls a procedure of the answer desk. Rejects with BOSUN_CALL_INVALID if the system has none. */
async function called<Answer>(
  gateway: LiveGateway,
  name: string,
  params: Readonly<Record<string, unknown>>,
  within: { readonly deadlineMs?: number } = {},
): Promise<Answer> {
  const offer = (await gateway.offers()).find((one) => one.name === name);
  if (offer === undefined)
    throw new BosunError('BOSUN_CALL_INVALID', `the system has no answer desk: start one with ${STARTER}`);
  // The row of the procedure has checked the answer.
  return (await gateway.callOffered(offer, params, within)) as Answer;
}

/** The factors of the confidence of a question's answer; null before there is one. */
async function factorsOf(gateway: LiveGateway, { question_id }: AskReply): Promise<ConfidenceFactors | null> {
  if (question_id === null) return null;
  const { question } = await called<Shown>(gateway, 'answers.show', { question_id });
  return question?.factors ?? null;
}

function replyText(reply: AskReply, factors: ConfidenceFactors | null): string {
  const { question_id, ticket_id, status, answer, confidence, sources, problems, next } = reply;
  return factsText([
    ['question', question_id],
    ['state', status],
    ['answer', answer],
    ['confidence', answer === null ? null : `${confidence} %`],
    ['sources', sources.map(({ location }) => location).join(', ') || null],
    ['ticket', ticket_id],
    ['because', problems.join('; ') || null],
    ['next', status === 'waiting' ? `bosun questions show ${question_id} has the answer once there is one` : next],
    ...(factors === null ? [] : factorFacts(factors)),
  ]);
}

function shownText({ users, earlier }: Shown, question: Question): string {
  const { id, text, status, response, factors, by, ticket, asker, task, askedAtMs } = question;
  return factsText([
    ['question', id],
    ['asks', text],
    ['state', status],
    ['answer', response?.answer ?? null],
    ['confidence', response === null ? null : `${response.confidence} %`],
    ['sources', response?.sources.map(({ location }) => location).join(', ') || null],
    ['by', by],
    ['ticket', ticket],
    ['asked by', task === null ? asker : `${asker} (${task})`],
    ['since', timeText(askedAtMs)],
    ['used by', users.map((one) => one.asker).join(', ') || null],
    ...(factors === null || by !== null ? [] : factorFacts(factors)),
    ['said before', earlier.map((one) => `${one.answer} (${one.by})`).join('; ') || null],
  ]);
}
