/** `bosun questions`: asks the answer desk of a running system, and reads what became of questions. */
import { existsSync } from 'node:fs';
import { type ConfidenceFactors } from '../../machines/answers/confidence.ts';
import { type AskReply } from '../../machines/answers/question-state.ts';
import { called, type Question, questionOf, type Shown, withDesk } from './answer-calls.ts';
import { factorFacts } from './confidence-facts.ts';
import { dataDirectory, hasStore } from '../store/data-directory.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type LiveGateway } from '../reach/live-gateway.ts';
import { jsonLine } from '../json-lines.ts';
import { timeText } from '../store/stopped-store.ts';
import { type DataCommand } from '../surroundings.ts';
import { factsText, tableText } from '../table.ts';

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
  return withDesk(command, async (gateway) => {
    const within = { deadlineMs: waitSeconds * 1_000 + WAY_MS };
    const reply = await called<AskReply>(gateway, 'answers.ask', params, within);
    const factors = explain ? await factorsOf(gateway, reply) : null;
    out.write(json ? jsonLine({ ...reply, ...(explain && { factors }) }) : replyText(reply, factors));
    if (reply.status === 'refused') return EXIT.refused;
    return reply.status === 'answered' ? EXIT.completed : EXIT.paused;
  });
}

/** Prints questions, the latest first. Without `all`, only those that wait for an answer or for a person. */
export function listQuestionsCommand(command: DataCommand & { readonly all: boolean }): Promise<ExitCode> {
  const { all, json, out, err } = command;
  return withDesk(command, async (gateway) => {
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
  });
}

/** Prints one question with its answer, its users and its history. */
export function showQuestionCommand(command: DataCommand & { readonly id: string }): Promise<ExitCode> {
  const { id, json, out } = command;
  return withDesk(command, async (gateway) => {
    const shown = await questionOf(gateway, id);
    const { question } = shown;
    out.write(
      json ? jsonLine({ ...question, users: shown.users, earlier: shown.earlier }) : shownText(shown, question),
    );
  });
}

/** The factors of the confidence of a question's answer; null before there is one. */
async function factorsOf(gateway: LiveGateway, { question_id }: AskReply): Promise<ConfidenceFactors | null> {
  if (question_id === null) return null;
  const { question } = await called<Shown>(gateway, 'answers.show', { question_id });
  return question?.factors ?? null;
}

function replyText(reply: AskReply, factors: ConfidenceFactors | null): string {
  const { question_id, ticket_id, status, answer, confidence, sources, decided_by, problems, next } = reply;
  return factsText([
    ['question', question_id],
    ['state', status],
    ['answer', answer],
    ['confidence', answer === null ? null : `${confidence} %`],
    ['sources', sources.map(({ location }) => location).join(', ') || null],
    ['by', decided_by],
    ['ticket', ticket_id],
    ['because', problems.join('; ') || null],
    ['next', status === 'waiting' ? `bosun questions show ${question_id} has the answer once there is one` : next],
    ...(factors === null ? [] : factorFacts(factors)),
  ]);
}

function shownText({ users, kept, earlier }: Shown, question: Question): string {
  const { id, text, status, response, factors, by, ticket, asker, task, askedAtMs, scope = null } = question;
  return factsText([
    ['question', id],
    ['asks', text],
    ['state', status],
    ['answer', response?.answer ?? null],
    ['confidence', response === null ? null : `${response.confidence} %`],
    ['sources', response?.sources.map(({ location }) => location).join(', ') || null],
    ['by', by],
    ['ticket', ticket],
    ['scope', scope],
    ['asked by', task === null ? asker : `${asker} (${task})`],
    ['since', timeText(askedAtMs)],
    ['used by', users.map((one) => one.asker).join(', ') || null],
    ...(factors === null || by !== null ? [] : factorFacts(factors)),
    ['kept', kept && `for ${kept.scope ?? 'all'}${kept.planVersion === null ? '' : ', for one version of the plan'}`],
    ['said before', earlier.map((one) => `${one.answer} (${one.by})`).join('; ') || null],
  ]);
}
