/**
 * `bosun debates`: disputes between agents, how far each has come and on what grounds, and to decide about one that is
 * provisional.
 */
import { systemClock } from '../clock.ts';
import { type Credibility } from '../machines/coordination/credibility/credibility.ts';
import { packageOf } from '../machines/coordination/debates/debate-document.ts';
import { debatesIn, type FacilitatorContext } from '../machines/coordination/debates/debate-facilitator.ts';
import { type DebateRecord } from '../machines/coordination/debates/debate-records.ts';
import { type DebateContext } from '../machines/coordination/debates/debate-state.ts';
import { type Side } from '../machines/coordination/debates/level-two.ts';
import { DESKS } from '../machines/work/system-ids.ts';
import { listed } from '../machines/people/desk.ts';
import { type DeskRow, type Given, type Ordered } from './desk-row.ts';
import { type DeskView, found, refusedOrder } from './desk-view.ts';
import { answered, gatesOf } from './gates-row.ts';
import { oneLine } from './run-report.ts';
import { timeText } from './stopped-store.ts';
import { tableText } from './table.ts';

type Debate = ReturnType<typeof listed<DebateRecord>>;

/** What is put before people takes so long to be there once it has been asked for. */
const REVIEW_MS = 5_000;
const POLL_MS = 50;

export const DEBATES: DeskRow<Debate> = {
  none: 'no debates',
  records: async (view, all) => (await debatesOf(view)).filter(({ isOver }) => all || !isOver),
  find: async (view, id) => found(await debatesOf(view), id, `no debate "${id}"; bosun debates list --all shows them`),
  cells: ({ id, level, item, challenger, challenged, openedAtMs, provisional, topic }) => ({
    ID: id,
    LEVEL: level,
    ITEM: item,
    BETWEEN: `${challenger}, ${challenged}`,
    SINCE: timeText(openedAtMs),
    VALUE: provisional === null ? null : oneLine(provisional.position.statement),
    TOPIC: oneLine(topic),
  }),
  facts: ({ provisional, summary, ...debate }) => [
    ['debate', debate.id],
    ['topic', oneLine(debate.topic)],
    ['item', debate.item],
    ['level', debate.level],
    ['priority', debate.priority],
    ['challenger', debate.challenger],
    ['challenged', debate.challenged],
    ['expert', debate.expert],
    ['since', timeText(debate.openedAtMs)],
    ['goes on with', provisional && `${oneLine(provisional.position.statement)} (${provisional.mark})`],
    ['why', provisional && oneLine(provisional.rationale)],
    ['may be overridden until', provisional && timeText(provisional.overrideUntilMs)],
    ['rests on it', provisional && provisional.dependents.join(', ')],
    ['decided', summary && `${summary.outcome}, level ${summary.level}: ${summary.method}`],
  ],
  detail: async (view, debate) => {
    const context = (await view.look<DebateContext>(`${DESKS.openDebates}/${debate.id}`))?.context;
    const parts = [...(context === undefined ? [] : [saidText(context)]), credibilityText(debate)];
    const text = parts.filter((part) => part !== '').map((part) => `\n${part}`);
    return { json: context === undefined ? {} : packageOf(context), text: text.join('') };
  },
  orders: {
    confirm: (debate, given, view) => decided(view, debate, given, { action: 'confirm' }),
    override: (debate, given, view) =>
      decided(view, debate, given, { action: 'override', ...(given.side !== undefined && { side: given.side }) }),
    redebate: (debate, { reason, ...given }, view) => {
      if (reason === undefined && !debate.isOver)
        throw refusedOrder('what is new goes into --reason: it is debated again with it');
      return decided(view, debate, given, { action: 'redebate', context: reason });
    },
  },
};

/** Answers the question that the debate has open; brings its review forward where there is none yet. */
async function decided(view: DeskView, debate: Debate, { by, reason }: Given, action: object): Promise<Ordered> {
  const { id, isOver, level } = debate;
  if (isOver) throw refusedOrder(`debate "${id}" is over: ${level}`);
  const gate = (await openGate(view, id)) ?? (await reviewNow(view, debate, by));
  return answered(view, { gate, by, answer: { ...action, ...(reason !== undefined && { note: reason }) } });
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
