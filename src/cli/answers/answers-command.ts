/** `bosun answers`: reads what people have said, corrects and judges it, and decides on proposals. */
import { type Change, type Proposal } from '../../machines/answers/evolution.ts';
import { type KeptAnswer } from '../../machines/answers/desk-precedents.ts';
import { type Precedent } from '../../machines/answers/precedents.ts';
import { DESKS } from '../../machines/desks.ts';
import { type OrderReply } from '../../machines/rules/turn.ts';
import { plainLine } from '../../plain-text.ts';
import { type TableView } from '../../table.ts';
import { wholeTable } from '../../whole-tables.ts';
import { called, ordered, questionOf, type Shown, withDesk } from './answer-calls.ts';
import { MARKDOWN_HEAD, sectionOf } from './answers-markdown.ts';
import { refusedOrder } from '../desks/desk-view.ts';
import { EXIT, type ExitCode, writeError } from '../exit-codes.ts';
import { type LiveGateway } from '../reach/live-gateway.ts';
import { jsonLine } from '../json-lines.ts';
import { timeText } from '../store/stopped-store.ts';
import { type DataCommand } from '../surroundings.ts';
import { tableText } from '../table.ts';

/** A verb on one answer. */
export interface AnswerCommand extends DataCommand {
  readonly id: string;
}

/** A verb by which a person says something about an answer. */
export interface SaidCommand extends AnswerCommand {
  readonly by: string;
}

/** Prints people's answers to questions that are similar to a text. */
export function searchAnswersCommand(command: DataCommand & { readonly text: string }): Promise<ExitCode> {
  const { text, json, out, err } = command;
  return withDesk(command, async (gateway) => {
    const { found } = await called<{ found: (Precedent & { likeness: number })[] }>(gateway, 'answers.search', {
      text,
    });
    if (json) return void out.write(found.map(jsonLine).join(''));
    if (found.length === 0) return void err.write('nobody has said anything about it yet\n');
    const cells = found.map(({ question, likeness, by, atMs, scope, planVersion, text: asked, answer }) => {
      const holds = `${scope ?? 'all'}${planVersion === null ? '' : ', one version of the plan'}`;
      return [question, `${Math.round(likeness * 100)} %`, by, timeText(atMs), holds, asked, answer];
    });
    out.write(tableText([['ID', 'ALIKE', 'BY', 'AT', 'FOR', 'QUESTION', 'ANSWER'], ...cells]));
  });
}

export interface CorrectCommand extends SaidCommand {
  readonly text: string;
  readonly reason: string | undefined;
  /** Whether to apply the correction. If not, only the users who would be told are listed. */
  readonly isSure: boolean;
}

/** Corrects an answer, or lists the users who would be told. */
export function correctAnswerCommand(command: CorrectCommand): Promise<ExitCode> {
  const { id, text, by, reason, isSure, json, out } = command;
  return withDesk(command, async (gateway) => {
    const { users } = await called<Pick<Shown, 'users'>>(gateway, 'answers.users', { question_id: id });
    const names = namesOf(users);
    if (!isSure) {
      if (json) out.write(jsonLine({ type: 'correction', question: id, users, done: false }));
      return unsure(command, `${names} would be told`);
    }
    const params = { question_id: id, text, by, ...(reason !== undefined && { reason }) };
    const { told } = await ordered<OrderReply & { told: number }>(gateway, 'answers.correct', params);
    return said(command, `${id} says now: ${text}${/[.!?]$/.test(text) ? '' : '.'} Told: ${names}`, {
      ...{ type: 'correction', question: id, users, told, done: true },
    });
  });
}

function namesOf(users: Shown['users']): string {
  return users.map(({ asker, task }) => (task === null ? asker : `${asker} (${task})`)).join(', ') || 'nobody';
}

/** Keeps an answer for all who ask the same. */
export function pinAnswerCommand(command: SaidCommand): Promise<ExitCode> {
  const { id, by } = command;
  return withDesk(command, async (gateway) => {
    await ordered(gateway, 'answers.pin', { question_id: id, by });
    return said(command, `the answer of ${id} is kept`, { type: 'pin', question: id });
  });
}

export interface ScopeCommand extends SaidCommand {
  /** The part of the work for which the answer holds; null for all of it. */
  readonly scope: string | null;
  readonly planOnly: boolean;
}

/** Says for whom a kept answer holds. */
export function scopeAnswerCommand(command: ScopeCommand): Promise<ExitCode> {
  const { id, by, scope, planOnly } = command;
  return withDesk(command, async (gateway) => {
    await ordered(gateway, 'answers.scope', { question_id: id, by, scope, plan_only: planOnly });
    const plan = planOnly ? ', as long as the plan has this version' : '';
    return said(command, `${id} holds for ${scope ?? 'all'}${plan}`, { type: 'scope', question: id, scope, planOnly });
  });
}

export interface JudgeCommand extends AnswerCommand {
  readonly wasRight: boolean;
  readonly satisfaction: number | undefined;
}

/** Says whether an answer proved right. */
export function judgeAnswerCommand(command: JudgeCommand): Promise<ExitCode> {
  const { id, wasRight, satisfaction } = command;
  return withDesk(command, async (gateway) => {
    const params = { question_id: id, was_right: wasRight, ...(satisfaction !== undefined && { satisfaction }) };
    await ordered(gateway, 'answers.judge', params);
    return said(command, `${id} was ${wasRight ? 'right' : 'wrong'}`, { type: 'judgement', question: id, wasRight });
  });
}

export interface EraseCommand extends SaidCommand {
  /** Whether to erase. If not, what would go is printed. */
  readonly isSure: boolean;
}

/** Removes people's words from a question and from all that was made of it, or says which words would go. */
export function eraseAnswerCommand(command: EraseCommand): Promise<ExitCode> {
  const { id, by, isSure, json, out } = command;
  return withDesk(command, async (gateway) => {
    if (!isSure) {
      const { question, earlier } = await questionOf(gateway, id);
      const { text, response } = question;
      const answer = response?.answer ?? null;
      if (json) out.write(jsonLine({ type: 'erasure', question: id, text, answer, earlier, done: false }));
      const answers = [...(answer === null ? [] : [answer]), ...earlier.map((one) => one.answer)];
      return unsure(command, `for good would go: ${[text, ...answers].join(' | ')}`);
    }
    await ordered(gateway, 'answers.erase', { question_id: id, by });
    return said(command, `the words of ${id} are erased. Backups still have them`, {
      ...{ type: 'erasure', question: id, done: true },
    });
  });
}

export interface ExportCommand extends DataCommand {
  readonly format: 'markdown' | 'jsonl';
}

/** Answers of a page. Each may have twenty earlier ones, and a reply has at most 4 MiB. */
const PAGE = 20;

/** Prints all kept answers, page by page, in the order in which they were given first. */
export function exportAnswersCommand(command: ExportCommand): Promise<ExitCode> {
  const { format, json, out } = command;
  const isMarkdown = format === 'markdown' && !json;
  return withDesk(command, async (gateway) => {
    if (isMarkdown) out.write(MARKDOWN_HEAD);
    for (let after: number | null = 0; after !== null; ) {
      const page: { kept: KeptAnswer[]; next: number | null } = await called(gateway, 'answers.export', {
        ...{ after, limit: PAGE },
      });
      out.write(page.kept.map(isMarkdown ? sectionOf : jsonLine).join(''));
      after = page.next;
    }
  });
}

/** Prints the proposals for changes of the settings, after a review of the last day if that is asked for. */
export function listProposalsCommand(command: DataCommand & { readonly review: boolean }): Promise<ExitCode> {
  const { review, json, out, err } = command;
  return withDesk(command, async (gateway) => {
    if (review) await orderDesk(gateway, { type: 'answers.review' });
    const proposals = await proposalsOf(gateway);
    if (json) return void out.write(proposals.map(jsonLine).join(''));
    if (proposals.length === 0) return void err.write('no proposals\n');
    const cells = proposals.map(({ id, status, proposedAtMs, change, because, rewards: { count, total } }) => [
      ...[id, status, timeText(proposedAtMs), changeText(change), because],
      count === 0 ? '' : `${(total / count).toFixed(2)} of ${count}`,
    ]);
    out.write(tableText([['ID', 'STATE', 'AT', 'CHANGE', 'BECAUSE', 'MEAN REWARD'], ...cells]));
  });
}

export interface DecideCommand extends SaidCommand {
  readonly approve: boolean;
  readonly reason: string | undefined;
}

/** Applies or refuses a proposal, or takes back an applied one. */
export function decideProposalCommand(command: DecideCommand): Promise<ExitCode> {
  const { id, by, approve, reason } = command;
  return withDesk(command, async (gateway) => {
    await orderDesk(gateway, {
      ...{ type: 'answers.decide', proposal: id, by, approve },
      ...(reason !== undefined && { reason }),
    });
    const status = (await proposalsOf(gateway)).find((one) => one.id === id)?.status ?? null;
    return said(command, `${id} is ${status ?? 'decided'}`, { type: 'decision', proposal: id, status });
  });
}

/** Gives the desk an order for which it has no procedure. Rejects with BOSUN_EVENT_REFUSED if the desk refuses it. */
async function orderDesk(gateway: LiveGateway, event: { readonly type: string }): Promise<void> {
  const params = { address: DESKS.answers, event };
  const { reply } = await gateway.call<{ reply: Partial<OrderReply> | null }>('actor.ask', params);
  if (reply?.taken === false) throw refusedOrder((reply.problems ?? []).join('; '));
}

/** All proposals of the desk, by id; its other tables are left alone, since they may have thousands of rows. */
async function proposalsOf(gateway: LiveGateway): Promise<readonly Proposal[]> {
  const at = { address: DESKS.answers };
  const { context } = await gateway.call<{ context: { proposals: TableView<Proposal> } }>('actor.get', at);
  const { rows } = await wholeTable(context.proposals, (from) =>
    gateway.call('table.read', { ...at, table: 'proposals', from }),
  );
  return Object.values(rows);
}

/** The change that a proposal would make. */
function changeText(change: Change): string {
  switch (change.kind) {
    case 'threshold':
      return `people are asked below ${change.to} instead of ${change.from}`;
    case 'faster calls':
      return 'faster functions for evidence';
    case 'precedent':
      return `the answer of ${change.question} is kept`;
  }
}

/** Prints what was done. */
function said({ json, out }: DataCommand, text: string, line: object): ExitCode {
  out.write(json ? jsonLine(line) : `${plainLine(text)}\n`);
  return EXIT.completed;
}

/** Says what an order would do that was not confirmed. */
function unsure(command: DataCommand, text: string): ExitCode {
  writeError(command, 'BOSUN_CALL_INVALID', plainLine(`${text}. Repeat it with --yes`));
  return EXIT.badInput;
}
