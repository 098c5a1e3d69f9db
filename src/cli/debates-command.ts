/**
 * `bosun debates`: disputes between agents, how far each has come and on what grounds, and to decide about one that is
 * provisional.
 */
import { systemClock } from '../clock.ts';
import { type Credibility } from '../machines/coordination/credibility/credibility.ts';
import { debatesIn, type FacilitatorContext } from '../machines/coordination/debates/debate-facilitator.ts';
import { packageOf } from '../machines/coordination/debates/debate-document.ts';
import { type DebateRecord } from '../machines/coordination/debates/debate-records.ts';
import { type DebateContext } from '../machines/coordination/debates/debate-state.ts';
import { type Side } from '../machines/coordination/debates/level-two.ts';
import { listed } from '../machines/people/desk.ts';
import { DESKS } from '../machines/work/system-ids.ts';
import { type DeskCommand, type DeskView, notThere, refusedOrder, withDesks, writeList } from './desk-view.ts';
import { type ExitCode } from './exit-codes.ts';
import { answered, gatesOf } from './gates-command.ts';
import { oneLine } from './run-report.ts';
import { jsonLine, timeText } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';
import { factsText, tableText } from './table.ts';

type Debate = Omit<DebateRecord, 'ref' | 'held' | 'number' | 'orders'>;

/** What is put before people takes so long to be there once it has been asked for. */
const REVIEW_MS = 5_000;
const POLL_MS = 50;

/** @param command `all`: also those that are over. */
export function listDebates(command: DataCommand & { readonly all: boolean }): Promise<ExitCode> {
  return withDesks(command, async (view) => {
    const debates = (await debatesOf(view)).filter(({ isOver }) => command.all || !isOver);
    writeList(command, debates, {
      none: 'no debates',
      head: ['ID', 'LEVEL', 'ITEM', 'BETWEEN', 'SINCE', 'VALUE', 'TOPIC'],
      cells,
    });
  });
}

export function showDebate(command: DataCommand & { readonly id: string }): Promise<ExitCode> {
  const { id, json, out } = command;
  return withDesks(command, async (view) => {
    const debate = await debateOf(view, id);
    const context = (await view.look<DebateContext>(`${DESKS.openDebates}/${id}`))?.context;
    if (json) return void out.write(jsonLine({ ...debate, ...(context !== undefined && packageOf(context)) }));
    out.write(
      [factsOf(debate), ...(context === undefined ? [] : [saidText(context)]), credibilityText(debate)]
        .filter((part) => part !== '')
        .join('\n'),
    );
  });
}

export interface DebateOrder extends DeskCommand {
  readonly order: 'confirm' | 'override' | 'redebate';
  readonly id: string;
  /** Of an override: whose position is to hold. Default: the one that does not. */
  readonly side?: Side | undefined;
}

/** Answers the question that the debate has open; brings its review forward where there is none yet. */
export function debateOrder(command: DebateOrder): Promise<ExitCode> {
  const { id, order, side, reason } = command;
  return withDesks(command, async (view) => {
    const debate = await debateOf(view, id);
    if (debate.isOver) throw refusedOrder(`debate "${id}" is over: ${debate.level}`);
    if (order === 'redebate' && reason === undefined)
      throw refusedOrder('what is new goes into --reason: it is debated again with it');
    const gate = (await openGate(view, id)) ?? (await reviewNow(view, debate, command.by));
    const answer = {
      action: order,
      ...(order === 'override' && side !== undefined && { side }),
      ...(reason !== undefined && { [order === 'redebate' ? 'context' : 'note']: reason }),
    };
    await answered(view, command, { gate, answer });
  });
}

async function openGate(view: DeskView, debate: string) {
  return (await gatesOf(view)).find(({ id, isOver }) => !isOver && id.startsWith(`${debate}+`));
}

async function reviewNow(view: DeskView, { id, level }: Debate, by: string) {
  if (level !== 'L4' && level !== 'deferred') throw refusedOrder(`debate "${id}" is at ${level}: nobody is asked yet`);
  if (!view.isLive)
    throw refusedOrder(
      `debate "${id}" asks nobody yet, and its review can be brought forward only while the system runs`,
    );
  await view.order(DESKS.debates, { type: 'debate.review', debate: id, by });
  for (let waitedMs = 0; waitedMs < REVIEW_MS; waitedMs += POLL_MS) {
    const gate = await openGate(view, id);
    if (gate !== undefined) return gate;
    await new Promise<void>((resolve) => systemClock.setTimeout(resolve, POLL_MS));
  }
  throw refusedOrder(`debate "${id}" has asked nobody: there is no desk of gates`);
}

async function debatesOf(view: DeskView): Promise<Debate[]> {
  const desk = await view.look<FacilitatorContext>(DESKS.debates);
  return desk === undefined ? [] : debatesIn(desk.context).map(listed);
}

async function debateOf(view: DeskView, id: string): Promise<Debate> {
  const debate = (await debatesOf(view)).find((known) => known.id === id);
  if (debate === undefined) throw notThere(`no debate "${id}"; bosun debates list --all shows them`);
  return debate;
}

function cells({ id, level, item, challenger, challenged, openedAtMs, provisional, topic }: Debate): string[] {
  return [
    id,
    level,
    item ?? '',
    `${challenger}, ${challenged}`,
    timeText(openedAtMs),
    provisional === null ? '' : oneLine(provisional.position.statement),
    oneLine(topic),
  ];
}

function factsOf({
  id,
  topic,
  item,
  level,
  priority,
  challenger,
  challenged,
  expert,
  openedAtMs,
  provisional,
  summary,
}: Debate): string {
  return factsText([
    ['debate', id],
    ['topic', oneLine(topic)],
    ['item', item],
    ['level', level],
    ['priority', priority],
    ['challenger', challenger],
    ['challenged', challenged],
    ['expert', expert],
    ['since', timeText(openedAtMs)],
    ['goes on with', provisional === null ? null : `${oneLine(provisional.position.statement)} (${provisional.mark})`],
    ['why', provisional === null ? null : oneLine(provisional.rationale)],
    ['may be overridden until', provisional === null ? null : timeText(provisional.overrideUntilMs)],
    ['rests on it', provisional === null ? null : provisional.dependents.join(', ')],
    ['decided', summary === null ? null : `${summary.outcome}, level ${summary.level}: ${summary.method}`],
  ]);
}

function saidText(context: DebateContext): string {
  const { positions, basis, said, recommendation, uncertainties } = packageOf(context);
  const sources = (evidence: readonly { kind: string; source: string; strength: number }[]) =>
    evidence.map(({ kind, source, strength }) => `${kind} ${source}, ${strength}`).join('; ');
  const lines = [
    `challenger holds: ${oneLine(positions.challenger.statement)}`,
    `challenged holds: ${oneLine(positions.challenged.statement)}`,
    `challenger: ${oneLine(basis.statement)} [${sources(basis.evidence)}]`,
    ...said.map(
      ({ side, statement, evidence, flaw, atMs }) =>
        `${side}, ${timeText(atMs)}: ${oneLine(statement)} [${flaw ?? sources(evidence)}]`,
    ),
    `recommended: ${recommendation}`,
    ...uncertainties,
  ];
  return `${lines.join('\n')}\n`;
}

function credibilityText({ analysis }: Debate): string {
  if (analysis === null) return '';
  const { challenger, challenged, differential, required, regime } = analysis;
  const rows = [factorsOf('challenger', challenger), factorsOf('challenged', challenged)];
  const head = ['SIDE', 'SCORE', 'BASE', 'TIME', 'REGIME', 'TREND', 'OVERRIDES', 'SAMPLES', 'EVIDENCE'];
  return (
    `${tableText([head, ...rows])}differential ${differential.toFixed(3)}, needed more than ` +
    `${required.toFixed(3)}; regime ${regime}\n`
  );
}

function factorsOf(side: Side, { score, interval, factors, samples, evidenceQuality }: Credibility): string[] {
  const { base, temporal, regime, trend, override } = factors;
  return [
    side,
    `${score.toFixed(3)} ± ${interval.toFixed(3)}`,
    ...[base, temporal, regime, trend, override].map(({ value }) => value.toFixed(3)),
    String(samples),
    evidenceQuality.toFixed(2),
  ];
}
