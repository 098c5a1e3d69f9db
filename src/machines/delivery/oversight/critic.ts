/**
 * The Critic Team (MX-021): asks the Answer Team why work does not go on. Why a failure comes again (T7, AT-047) is
 * proposed to people; the strategy for a task with too many notes (T6, AT-046) becomes a note of it.
 */
import { strategyInstead } from '../../answers/bundle-breaking.ts';
import { ANSWERER } from '../../people/system-ids.ts';
import { nameKey } from '../../rules/table-keys.ts';
import { ruledAgent, type Rules, type Turn } from '../../rules/turn.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { type Directive } from '../tasks/task-messages.ts';
import { NOTES_MAX } from '../tasks/task-state.ts';
import { DAY_MS } from './oversight-rules.ts';

/** The failures of the last day, the latest ones. */
type CriticContext = Readonly<{ seen: readonly Readonly<{ about: string; atMs: number }>[] }>;
type CriticTurn = Turn<CriticContext>;
type Given = Readonly<{ asker: string; answer: string | null }>;

/** Failures that are remembered, and equal ones of a day that are a pattern. */
const SEEN_MAX = 500;
const PATTERN_MIN = 3;
/** The beginning of notes about a strategy. */
const STRATEGY = 'The Answer Team, on its notes: ';

const RULES = {
  // Counts a failure, and asks why it persists when it becomes a pattern.
  'failure.seen': (turn: CriticTurn, { about }: { readonly about: string }) => {
    const { nowMs: atMs, context } = turn;
    const seen = [...context.seen, { about, atMs }].filter((one) => one.atMs > atMs - DAY_MS).slice(-SEEN_MAX);
    turn.assign({ seen });
    if (seen.filter((one) => one.about === about).length !== PATTERN_MIN) return;
    warn(turn, about, 'warning', `A failure comes again: ${about}`, `${PATTERN_MIN} times within a day`);
    ask(turn, 'pattern_based_query', about, `Why does this pattern persist: "${about}" fails again and again?`);
  },
  'directive.seen': (turn: CriticTurn, { directive: { taskId, notes } }: { readonly directive: Directive }) => {
    if (notes.length >= NOTES_MAX && !notes.some((note) => note.startsWith(STRATEGY)))
      ask(turn, 'context_overflow_clarification', taskId, strategyQuestion(taskId));
  },
  'answer.given': (turn: CriticTurn, { asker, answer }: Given) => {
    const about = asker.slice(asker.indexOf(' ') + 1);
    const note = `${STRATEGY}${strategyInstead(strategyQuestion(about))} ${answer ?? ''}`;
    if (!asker.startsWith('pattern'))
      turn.send(WORK_DESKS.orchestrator, { type: 'task.edited', task: about, patch: {}, note });
    else if (answer !== null)
      warn(turn, about, 'info', `Proposed: an update task that removes the cause of "${about}"`, answer);
  },
} satisfies Rules<CriticContext>;

function strategyQuestion(id: string): string {
  return `Why did breaking fail? The notes of ${id} do not fit with prioritize_recent: ${NOTES_MAX} are the most.`;
}

/** Asks under a name with which the answer comes back. */
function ask(turn: CriticTurn, trigger: string, about: string, question: string): void {
  const asked = { trigger, asker: `${trigger} ${about}`, askedBy: turn.self, key: nameKey(about), maxWaitMs: 0 };
  turn.send(ANSWERER, { type: 'answers.ask', ...asked, bundle: { question, confidence_level: 0 } });
}

function warn(turn: CriticTurn, about: string, severity: 'info' | 'warning', title: string, detail: string): void {
  const warning = { severity, about, kind: `pattern.${severity}`, title, detail };
  turn.send(DELIVERY_DESKS.overseer, { type: 'oversight.warned', ...warning });
}

/** The agent of the Critic Team. */
export const critic = ruledAgent({ name: 'critic', rules: RULES, context: (): CriticContext => ({ seen: [] }) });
