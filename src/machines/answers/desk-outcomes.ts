/**
 * Outcomes of the answers that the team gave: people and programs report them, a correction or a person's word about a
 * provisional answer tells them, and otherwise a day without either. Each answer counts once, as it was told last.
 */
import { type Asked, type OrderReply, refused, TAKEN } from '../rules/turn.ts';
import { withOtherOutcome, withOutcome } from './calibration.ts';
import { desk, recordOf } from './desk-asking.ts';
import { DEADLINE_MS } from './desk-queue.ts';
import { type AnswerResponse } from './bundle.ts';
import { type AnswerTurn, log } from './desk-log.ts';
import { type AnswerOrder, type QuestionRow } from './desk-state.ts';
import { type Judged } from './resolution-log.ts';

/** Milliseconds from a question on after which an answer that nobody has corrected counts as right. */
const SETTLED_MS = 24 * 60 * 60_000 + DEADLINE_MS[3];

/** Questions that one turn looks at for what time has told. */
const LOOKED_AT_MAX = 50;

type Found = Pick<Judged, 'wasRight' | 'from'> & Partial<Pick<Judged, 'hadRightSources' | 'satisfaction'>>;

/** Takes a report of what became of an answer. */
export function judge(turn: AnswerTurn, event: AnswerOrder<'answers.judge'> & Asked): OrderReply {
  const { question: id, wasRight, hadRightSources, satisfaction } = event;
  const row = recordOf(turn, id);
  if (row === undefined || row.response === null) return refused(`${id} has no answer that could be judged`);
  noteOutcome(turn, row, { wasRight, from: 'report', hadRightSources, satisfaction });
  return TAKEN;
}

/** Counts what became of an answer. A person's word tells nothing of how sure the team may be. */
export function noteOutcome(turn: AnswerTurn, row: QuestionRow, found: Found): void {
  const { id, uncalibrated, response, textKey, by, wasRight: before = null } = row;
  const { wasRight, from, hadRightSources = null, satisfaction = null } = found;
  const verdict = before === null ? 'first' : before === wasRight ? 'repeated' : 'changed';
  if (by === null && verdict !== 'repeated') {
    const outcome = { confidence: uncalibrated, isRight: wasRight };
    const { bins } = turn.context;
    turn.assign({ bins: verdict === 'first' ? withOutcome(bins, outcome) : withOtherOutcome(bins, outcome) });
  }
  desk(turn).change(id, { wasRight });
  const facts = { from, verdict, wasRight, hadRightSources, satisfaction } as const;
  const { confidence } = response!; // the callers have seen that there is one
  log(turn, { kind: 'judged', question: id, atMs: turn.nowMs, confidence, ...facts }, textKey);
}

/**
 * Counts as wrong an answer of the team that a person replaces. Within its day it counts at the end of the day, as the
 * right ones do: otherwise the first day would have nothing but wrong answers.
 */
export function noteCorrection(turn: AnswerTurn, row: QuestionRow, { confidence }: AnswerResponse): void {
  if (isYoung(turn, row)) desk(turn).change(row.id, { corrected: confidence });
  else noteOutcome(turn, row, { wasRight: false, from: 'correction' });
}

function isYoung({ nowMs }: AnswerTurn, { askedAtMs }: QuestionRow): boolean {
  return nowMs - askedAtMs < SETTLED_MS;
}

/** Counts the answers of the team whose day is over: as right if nobody has corrected them or asked for them again. */
export function noteTime(turn: AnswerTurn): void {
  const { outcomesUpTo, next } = turn.context;
  let number = outcomesUpTo;
  while (number < Math.min(outcomesUpTo + LOOKED_AT_MAX, next - 1)) {
    const row = desk(turn).records.get(`Q-${number + 1}`);
    if (row !== undefined && isYoung(turn, row)) break;
    number += 1;
    if (row?.corrected !== undefined) {
      const response = { ...row.response!, confidence: row.corrected }; // a person's answer has replaced it
      noteOutcome(turn, { ...row, by: null, response }, { wasRight: false, from: 'correction' });
    } else if (row !== undefined && isUncontested(row)) noteOutcome(turn, row, { wasRight: true, from: 'time' });
  }
  if (number > outcomesUpTo) turn.assign({ outcomesUpTo: number });
}

function isUncontested({ status, by, wasRight = null, wasAskedAgain = false }: QuestionRow): boolean {
  return status === 'answered' && by === null && wasRight === null && !wasAskedAgain;
}
