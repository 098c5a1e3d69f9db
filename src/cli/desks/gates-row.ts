/** `bosun gates`: lists questions to people, and answers them. */
import { type GateShown } from '../../crew-gates.ts';
import { rowsInOrder, type WindowPage } from '../../gateway/protocol/window-page.ts';
import { type GateDeskContext } from '../../machines/people/gates/gate-desk.ts';
import { problemsOf } from '../../machines/people/gates/gate-form.ts';
import { ANYBODY } from '../../machines/people/audience.ts';
import { type GateQuestion } from '../../machines/people/gates/gate.ts';
import { listed } from '../../machines/rules/desk.ts';
import { endedIn, openIn } from '../../machines/rules/records.ts';
import { DESKS } from '../../machines/desks.ts';
import { type DeskRow, type ListPage, type Ordered, type Wanted } from './desk-row.ts';
import { type DeskView, found, notThere, refusedOrder } from './desk-view.ts';
import { fieldsIn } from '../json-text.ts';
import { timeText, whenKnown } from '../store/stopped-store.ts';

/** A gate as the verbs show it. */
type Gate = Pick<
  GateShown,
  'id' | 'kind' | 'title' | 'item' | 'stage' | 'proposal' | 'phase' | 'openedAtMs' | 'deadlineAtMs' | 'isOver'
> & {
  readonly audience: readonly string[];
  readonly result: { readonly outcome: string; readonly answer: unknown; readonly by: string | null } | null;
};

type Page = WindowPage<GateShown>;

/** Gates of a page of a list. */
const PAGE_ROWS = 100;

/** All gates of a system without windows of them: the open ones by deadline, then the closed ones, the latest first. */
async function storedGates(view: DeskView): Promise<Gate[]> {
  const desk = await view.look<GateDeskContext>(DESKS.gates);
  if (desk === undefined) return [];
  const gates = [...openIn(desk.context), ...endedIn(desk.context)];
  return gates.map(({ askedBy: _, ...gate }) => listed(gate));
}

async function* pages(view: DeskView, wanted: Wanted): AsyncGenerator<ListPage<Gate>> {
  const first = await view.told?.<Page>('gates.open', { audience: wanted.audience });
  if (first === undefined) return yield* storedPages(view, wanted);
  yield* windowPages(view, 'gates.open', wanted, first);
  if (!wanted.all) return;
  const closed = await view.told!<Page>('gates.closed', { audience: wanted.audience });
  if (closed !== undefined) yield* windowPages(view, 'gates.closed', wanted, closed);
}

async function* windowPages(
  view: DeskView,
  name: string,
  { audience }: Wanted,
  first: Page,
): AsyncGenerator<ListPage<Gate>> {
  let shown = 0;
  for (let page: Page | undefined = first; page !== undefined; ) {
    const rows = rowsInOrder(page);
    shown += rows.length;
    const { next, size }: Page = page;
    yield { rows, left: next === null ? 0 : audience === undefined ? size - shown : undefined };
    page = next === null ? undefined : await view.told!<Page>(name, { audience, after: next });
  }
}

async function* storedPages(view: DeskView, { all, audience }: Wanted): AsyncGenerator<ListPage<Gate>> {
  const gates = (await storedGates(view)).filter(
    (gate) => (all || !gate.isOver) && (audience === undefined || mayAnswer(gate, audience)),
  );
  for (let at = 0; at < gates.length; at += PAGE_ROWS)
    yield { rows: gates.slice(at, at + PAGE_ROWS), left: Math.max(0, gates.length - at - PAGE_ROWS) };
}

/** The open gate of which the id begins with a text; undefined if there is none. */
export async function openGateLike(view: DeskView, prefix: string): Promise<Gate | undefined> {
  const page = await view.told?.<Page>('gates.search', { key: prefix });
  const gates = page === undefined ? await storedGates(view) : rowsInOrder(page);
  return gates.find(({ id, isOver }) => !isOver && id.startsWith(prefix));
}

async function gateOf(view: DeskView, id: string): Promise<Gate> {
  const missing = `no gate "${id}"; bosun gates list --all shows them`;
  const told = await view.told?.<{ readonly gate: GateShown | null }>('gates.get', { gate: id });
  if (told === undefined) return found(await storedGates(view), id, missing);
  if (told.gate === null) throw notThere(missing);
  return told.gate;
}

export const GATES: DeskRow<Gate> = {
  none: 'no open questions',
  pages,
  find: gateOf,
  cells: ({ id, phase, audience, openedAtMs, deadlineAtMs, title, item, stage, proposal }) => ({
    ID: id,
    STATE: phase,
    FOR: audienceText(audience),
    SINCE: timeText(openedAtMs),
    UNTIL: whenKnown(deadlineAtMs),
    ITEM: item,
    STAGE: stage,
    TITLE: title,
    PROPOSED: proposal,
  }),
  facts: ({ id, kind, title, item, stage, proposal, phase, audience, openedAtMs, deadlineAtMs, result }) => [
    ['gate', id],
    ['kind', kind],
    ['title', title],
    ['item', item],
    ['stage', stage],
    ['proposed', proposal],
    ['state', phase],
    ['for', audienceText(audience)],
    ['since', timeText(openedAtMs)],
    ['until', whenKnown(deadlineAtMs) ?? 'somebody answers'],
    ['answer', result?.outcome === 'answered' ? `${JSON.stringify(result.answer)} by ${result.by ?? ''}` : null],
  ],
  detail: async (view, { id }) => {
    const question = await questionOf(view, id);
    if (question === undefined) return { json: { package: null, form: null }, text: '' };
    const { package: given, form } = question;
    const [materials, answer] = [given, form].map((value) => JSON.stringify(value, null, 2));
    const text = `\nto decide by:\n${materials}\n\nan answer fits:\n${answer}\n`;
    return { json: { package: given, form }, text };
  },
  orders: {
    answer: (gate, { by, reason, fields }, view) =>
      answered(view, {
        gate,
        by,
        answer: { ...fieldsIn(fields, 'an answer', 'decision=approve'), ...(reason !== undefined && { reason }) },
      }),
  },
};

/** Makes the order that answers a gate. An invalid answer is refused here instead of at the next start. */
export async function answered(
  view: DeskView,
  { gate, by, answer }: { readonly gate: Gate; readonly by: string; readonly answer: object },
): Promise<Ordered> {
  const { id, isOver, phase, audience } = gate;
  if (isOver) throw refusedOrder(`${id} is closed: ${phase}`);
  if (!mayAnswer(gate, by))
    throw refusedOrder(`${by} may not answer it; those who may: ${audience.join(', ')}. Name one with --by`);
  const question = await questionOf(view, id);
  const problems = question === undefined ? [] : problemsOf(question.form, answer);
  if (problems.length > 0) throw refusedOrder(`the answer does not fit ${id}: ${problems.join('; ')}`);
  return {
    desk: DESKS.gates,
    event: { type: 'gate.answer', gate: id, by, answer },
    said: `${id}: answered by ${by}`,
  };
}

async function questionOf(view: DeskView, id: string): Promise<GateQuestion | undefined> {
  return (await view.look<{ readonly question: GateQuestion }>(`${DESKS.openGates}/${id}`))?.context.question;
}

function mayAnswer({ audience }: Gate, person: string): boolean {
  return audience.includes(ANYBODY) || audience.includes(person);
}

function audienceText(audience: readonly string[]): string {
  return audience.includes(ANYBODY) ? 'anybody' : audience.join(', ');
}
