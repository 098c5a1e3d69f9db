/** `bosun debates`: lists disputes between agents with their state and grounds, and decides provisional ones. */
import { systemClock } from '../../clock.ts';
import { type Credibility } from '../../machines/coordination/credibility/credibility.ts';
import { packageOf } from '../../machines/coordination/debates/debate-document.ts';
import { debatesIn } from '../../machines/coordination/debates/debate-facilitator.ts';
import { type FacilitatorContext } from '../../machines/coordination/debates/facilitator-context.ts';
import { type DebateRecord } from '../../machines/coordination/debates/debate-records.ts';
import { type DebateContext } from '../../machines/coordination/debates/debate-state.ts';
import { type Side } from '../../machines/coordination/debates/level-two.ts';
import { DESKS } from '../../machines/desks.ts';
import { listed } from '../../machines/rules/desk.ts';
import { plainLine } from '../../plain-text.ts';
import { type DeskRow, type Given, type Ordered } from './desk-row.ts';
import { type DeskOrder, type DeskView, found, refusedOrder } from './desk-view.ts';
import { answered, openGateLike } from './gates-row.ts';
import { timeText } from '../store/stopped-store.ts';
import { tableText } from '../table.ts';

type Debate = ReturnType<typeof listed<DebateRecord>>;

/** Milliseconds to wait until a requested review is put before people, on a busy machine. */
const REVIEW_MS = 30_000;
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
    VALUE: provisional === null ? null : provisional.position.statement,
    TOPIC: topic,
  }),
  facts: ({ provisional, summary, ...debate }) => [
    ['debate', debate.id],
    ['topic', debate.topic],
    ['item', debate.item],
    ['level', debate.level],
    ['priority', debate.priority],
    ['challenger', debate.challenger],
    ['challenged', debate.challenged],
    ['expert', debate.expert],
    ['since', timeText(debate.openedAtMs)],
    ['proceeds with', provisional && `${provisional.position.statement} (${provisional.mark})`],
    ['why', provisional?.rationale ?? null],
    ['can be overridden until', provisional && timeText(provisional.overrideUntilMs)],
    ['depends on it', provisional && provisional.dependents.join(', ')],
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
    override: (debate, given, view) => {
      const { side } = given;
      const own = ownOf(given);
      return decided(view, debate, given, { action: 'override', ...(side !== undefined && { side }), ...own });
    },
    redebate: (debate, { reason, ...given }, view) => {
      if (reason === undefined && !debate.isOver)
        throw refusedOrder('give the new facts in --reason: they are part of the new debate');
      return decided(view, debate, given, { action: 'redebate', context: reason });
    },
    decide: (debate, given, view) => decidedBy(view, debate, given, decisionOf(given)),
    'ask-evidence': (debate, given, view) => decidedBy(view, debate, given, { action: 'request-evidence' }),
    defer: (debate, given, view) => decidedBy(view, debate, given, { action: 'defer' }),
    review: (debate, { by }) => said(debate, { type: 'debate.review', by }),
    'take-up': (debate, { by }) => said(debate, { type: 'debate.take-up', by }),
    acknowledge: (debate, { by }) => said(debate, { type: 'debate.acknowledge', by }),
    accept: (debate, { by }) => said(debate, { type: 'debate.accept', by }),
    respond: (debate, { by, statement, evidence = [] }) =>
      said(debate, { type: 'debate.respond', by, statement, evidence }),
    outcome: (debate, { right }) => said(debate, { type: 'debate.outcome', right }),
  },
};

/** An order to the facilitator, which passes it on or carries it out itself. */
function said({ id }: Debate, event: DeskOrder): Ordered {
  const verb = event.type.slice('debate.'.length);
  return { desk: DESKS.debates, event: { ...event, debate: id }, said: `${id}: ${verb}` };
}

/** Makes the order that answers the open question of a debate; at level 3 this is its expert's question. */
async function decidedBy(view: DeskView, debate: Debate, { by, reason }: Given, action: object): Promise<Ordered> {
  const gate = await openGate(view, debate.id);
  if (gate === undefined) throw refusedOrder(`debate "${debate.id}" is at ${debate.level}: no people are asked yet`);
  return answered(view, { gate, by, answer: { ...action, ...(reason !== undefined && { note: reason }) } });
}

function decisionOf(given: Given): object {
  const { side, statement, asRecommended } = given;
  if ([side, statement, asRecommended].filter((one) => one !== undefined).length !== 1)
    throw refusedOrder('give exactly one of --side, --statement and --as-recommended');
  if (side !== undefined) return { action: 'decide', side };
  return asRecommended === true ? { action: 'accept-recommendation' } : { action: 'decide-own', ...ownOf(given) };
}

/** A position that neither side holds. */
function ownOf({ statement, value }: Given): { readonly own?: object } {
  if (statement === undefined) return {};
  const isNumber = value !== undefined && value.trim() !== '' && Number.isFinite(Number(value));
  return { own: { statement, ...(value !== undefined && { value: isNumber ? Number(value) : value }) } };
}

/**
 * Makes the order that answers the open question of a debate. If there is none yet, the review is brought forward
 * first.
 */
async function decided(view: DeskView, debate: Debate, { by, reason }: Given, action: object): Promise<Ordered> {
  const { id, isOver, level } = debate;
  if (isOver) throw refusedOrder(`debate "${id}" is over: ${level}`);
  const gate = (await openGate(view, id)) ?? (await reviewNow(view, debate, by));
  return answered(view, { gate, by, answer: { ...action, ...(reason !== undefined && { note: reason }) } });
}

function openGate(view: DeskView, debate: string) {
  return openGateLike(view, `${debate}+`);
}

async function reviewNow(view: DeskView, { id, level }: Debate, by: string) {
  if (level !== 'L4' && level !== 'deferred')
    throw refusedOrder(`debate "${id}" is at ${level}: no people are asked yet`);
  if (!view.isLive)
    throw refusedOrder(
      `debate "${id}" asks no people yet; its review can be brought forward only while the system runs`,
    );
  if ((await view.look(DESKS.gates)) === undefined)
    throw refusedOrder(`debate "${id}" can ask no people: there is no desk of gates`);
  await view.order(DESKS.debates, { type: 'debate.review', debate: id, by });
  for (let waitedMs = 0; waitedMs < REVIEW_MS; waitedMs += POLL_MS) {
    const gate = await openGate(view, id);
    if (gate !== undefined) return gate;
    await new Promise<void>((resolve) => systemClock.setTimeout(resolve, POLL_MS));
  }
  throw refusedOrder(`debate "${id}" is about to ask; answer it when bosun gates list shows its question`);
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
    `challenger holds: ${plainLine(positions.challenger.statement)}`,
    `challenged holds: ${plainLine(positions.challenged.statement)}`,
    `challenger: ${plainLine(basis.statement)} [${sources(basis.evidence)}]`,
    ...said.map(
      ({ side, statement, evidence, flaw, atMs }) =>
        `${side}, ${timeText(atMs)}: ${plainLine(statement)} [${flaw ?? sources(evidence)}]`,
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
