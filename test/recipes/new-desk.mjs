/**
 * The recipe for a new agent of the crew with a desk, carried out on a copy of the repository:
 * `node test/recipes/new-desk.mjs`. Adds a desk of handovers with a window and an order, which every door of the
 * gateway and `bosun call` have, with a view of the page and documents. Checks it, and prints the files that it takes.
 * Exits 1 where they are more than eight, or where the result does not compile or does not work.
 */
import { recipe } from './recipe.mjs';

/** The machine, its rules and the schemas of its orders. */
const MACHINE = `/** The desk of handovers: one person offers a piece of work to another, who accepts it. */
import { z } from 'zod';
import { type Whole } from '../../../table.ts';
import { noRecords, type RecordKind, Records, recordsIn, type RecordTables } from '../../rules/records.ts';
import { order, refused, ruledAgent, TAKEN, type Turn } from '../../rules/turn.ts';
import { notify, settle } from '../notice.ts';

export interface Handover {
  readonly id: string;
  /** Rises with every handover: the order of arrival. */
  readonly number: number;
  readonly work: string;
  readonly from: string;
  readonly to: string;
  readonly acceptedAtMs: number | null;
}

export interface HandoverContext extends RecordTables<Handover> {
  /** The number that the next one gets. */
  readonly next: number;
}

type HandoverTurn = Turn<HandoverContext>;

const HANDOVERS: RecordKind<Handover> = {
  keyOf: ({ id }) => id,
  isOver: ({ acceptedAtMs }) => acceptedAtMs !== null,
  endedMax: 100,
};

const records = (turn: HandoverTurn) => new Records(turn, HANDOVERS);

const text = z.string().min(1).max(200);

const RULES = {
  'handover.offer': order(
    z.object({ id: text, work: text, from: text, to: text }),
    (turn: HandoverTurn, _, { id, work, from, to }) => {
      if (records(turn).get(id) !== undefined) return refused(\`a handover "\${id}" is there already\`);
      const { next: number } = turn.context;
      turn.assign({ next: number + 1 });
      records(turn).put({ id, number, work, from, to, acceptedAtMs: null });
      notify(turn, {
        subject: \`handover \${id}\`,
        kind: 'handover.offered',
        priority: 'LOW',
        title: work,
        detail: \`from \${from}\`,
        audience: [to],
      });
      return TAKEN;
    },
  ),
  'handover.accept': order(z.object({ id: text, by: text }), (turn: HandoverTurn, { id, by }) => {
    const offered = records(turn).get(id);
    if (offered === undefined) return refused(\`no handover "\${id}"\`);
    if (by !== offered.to) return refused(\`it was offered to \${offered.to}\`);
    records(turn).put({ ...offered, acceptedAtMs: turn.nowMs });
    settle(turn, { subject: \`handover \${id}\`, kinds: ['handover.offered'], because: \`accepted by \${by}\` });
    return TAKEN;
  }),
} as const;

export const handoverDesk = ruledAgent({
  name: 'handover-desk',
  rules: RULES,
  context: (): HandoverContext => ({ next: 1, ...noRecords() }),
});

export const HANDOVER_DESK = { id: 'handovers', systemId: 'handovers', agent: handoverDesk.name };

export function handoversIn(context: Whole<HandoverContext>): Handover[] {
  return recordsIn(context);
}
`;

/** The window and the order, as rows of the crew's procedures. */
const PROCEDURES = `  'handovers.open': window({
    means: 'Work that one person offers to another.',
    params: z.object({ to: z.string().optional().describe('Only what is offered to this person.') }),
    row: z.object({ id: z.string(), work: z.string(), from: z.string(), to: z.string() }),
    of: { address: HANDOVER_DESK.id, table: 'rows' },
    range: () => OPEN_ROWS,
    shows: ({ id, work, from, to }: Handover, _, wanted) =>
      wanted.to === undefined || wanted.to === to ? { id, work, from, to } : undefined,
    example: { p: {}, r: { rows: {}, size: 0, next: null, isReverse: false } },
  }),
  'handovers.accept': procedure({
    means: 'A person takes over the work that was offered to them.',
    params: z.object({ id: z.string() }),
    result: z.object({ taken: z.boolean(), problems: z.array(z.string()) }),
    example: { p: { id: 'night-shift' }, r: { taken: true, problems: [] } },
    ask: ({ id }, { id: caller, person = caller }) => ({
      address: HANDOVER_DESK.id,
      event: { type: 'handover.accept', id, by: person },
    }),
  }),
`;

const PROCEDURE_IMPORTS = `import { window } from './actors/api/window.ts';
import { HANDOVER_DESK, type Handover } from './machines/people/handovers/handover-desk.ts';
import { OPEN_ROWS } from './machines/rules/records.ts';
`;

const VIEW = `/** Work that one person offers to another, with the order that accepts it. */
import { useState } from 'preact/hooks';
import { counted } from '../format.ts';
import { Ledger } from '../sheet.tsx';
import { useWindow } from '../use-window.ts';
import { BY, type DeskOrder } from './desk-orders.ts';
import { OrderButton, Ordering } from './desk-page.tsx';

/** The view of handovers. */
export const HANDOVERS = { name: 'handovers', title: 'Handovers', component: HandoversView };

function HandoversView() {
  const [pages, setPages] = useState(1);
  const { window, error } = useWindow('handovers.open', pages);
  return (
    <Ordering>
      <Ledger
        id="handovers"
        title="Handovers"
        lead={<p class="quiet">Work that one person offers to another</p>}
        rows={window?.rows}
        error={error}
        empty="Nothing is handed over."
        columns={[
          { title: 'Work', cell: ({ work }) => work },
          { title: 'From', cell: ({ from }) => from },
          { title: 'To', cell: ({ to }) => to },
          {
            title: 'Order',
            cell: ({ id, work }) => (
              <OrderButton label="Accept" name={\`Accept \${work}\`} order={() => accepting(id)} />
            ),
          },
        ]}
        keyOf={({ id }) => id}
      >
        {window?.hasMore === true && (
          <button type="button" class="link" onClick={() => setPages(pages + 1)}>
            {counted(window.left, 'more handover')}
          </button>
        )}
      </Ledger>
    </Ordering>
  );
}

function accepting(id: string): DeskOrder {
  return {
    title: \`Accept \${id}\`,
    verb: 'Accept',
    address: 'handovers',
    fields: [BY],
    means: 'The work is yours.',
    eventOf: ({ by = '' }) => ({ type: 'handover.accept', id, by }),
    done: \`\${id} is yours.\`,
  };
}
`;

const TEST = `import { expect, it } from 'vitest';
import { crewProcedures } from '../../../src/crew-procedures.ts';
import { createGateway } from '../../../src/gateway/network/server.ts';
import { HANDOVER_DESK, handoverDesk } from '../../../src/machines/people/handovers/handover-desk.ts';
import { startTestSystem } from '../../../src/testing/test-system.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { startWholeCrew } from '../../support/machines/whole-crew.ts';

const POST = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };

it('is offered, told to people, and accepted by who it is offered to', async () => {
  const plan = planOf({ stages: { draft: { agent: 'writer' } }, items: ['A'] });
  const crew = await startWholeCrew(plan, { writer: () => Promise.resolve('done') });
  const ask = (type: string, fields: object) => crew.ask('handovers', { type, ...fields });
  const offer = { id: 'n', work: 'the night shift', from: 'bob', to: 'ada' };
  expect(await ask('handover.offer', offer)).toEqual({ taken: true, problems: [] });
  expect(await ask('handover.offer', offer)).toMatchObject({ taken: false });
  const refusal = { taken: false, problems: ['it was offered to ada'] };
  expect(await ask('handover.accept', { id: 'n', by: 'eve' })).toEqual(refusal);
  expect(await ask('handover.accept', { id: 'n', by: 'ada' })).toEqual({ taken: true, problems: [] });
  expect(crew.cards()).toMatchObject([{ title: 'the night shift', state: 'SETTLED' }]);
  await crew.test.system.stop();
});

it('is a window and an order of every gateway', async () => {
  const { shard } = await startTestSystem({ agents: [handoverDesk], tree: { children: [HANDOVER_DESK] } });
  await shard.send('handovers', { type: 'handover.offer', id: 'n', work: 'the night shift', from: 'bob', to: 'ada' });
  const gateway = createGateway(shard, { port: 0, procedures: crewProcedures });
  const { url } = await gateway.listen();
  const answer = await fetch(\`\${url}/v1/procedures/handovers.open\`, POST);
  const { rows } = (await answer.json()) as { readonly rows: object };
  expect(rows).toEqual({ '0 000000000001': { id: 'n', work: 'the night shift', from: 'bob', to: 'ada' } });
  await gateway.close();
  await shard.stop();
});
`;

recipe({
  filesMax: 8,
  change(changes) {
    const machine = 'people/handovers/handover-desk.ts';
    changes.create(`src/machines/${machine}`, MACHINE);
    const crew = 'src/machines/crew.ts';
    changes.insert(crew, { before: 'import ', text: `import { HANDOVER_DESK, handoverDesk } from './${machine}';\n` });
    changes.insert(crew, { before: '    failureCorrelator,\n', text: '    handoverDesk,\n' });
    changes.insert(crew, { before: '...coordinatorChildren(', text: 'HANDOVER_DESK, ' });
    const procedures = 'src/crew-procedures.ts';
    changes.insert(procedures, { before: "  'crew.plan': procedure({", text: PROCEDURES });
    changes.insert(procedures, { before: 'import { ticketProcedures }', text: PROCEDURE_IMPORTS });
    changes.create('src/inspector/desks/handovers-view.tsx', VIEW);
    const views = 'src/inspector/page-views.ts';
    changes.insert(views, {
      before: 'import { InboxView }',
      text: "import { HANDOVERS } from './desks/handovers-view.tsx';\n",
    });
    changes.insert(views, {
      before: "  { name: 'alerts', title",
      text: '  { ...HANDOVERS, isListed: false, under: INBOX },\n',
    });
    changes.insert('CHANGELOG.md', { before: '- **', text: '- **Handovers**: a desk for work that changes hands.\n' });
    changes.insert('docs/failures.md', {
      before: '| `alerts` |',
      text: '| `handovers` | work that one person offers to another | `handover.offer`, `handover.accept` |\n',
    });
    changes.create('test/machines/people/handover-desk.test.ts', TEST);
  },
  check({ run }) {
    run('tsc', '-p', 'tsconfig.json', '--noEmit', '--incremental', 'false');
    run('tsc', '-p', 'src/inspector/tsconfig.json', '--noEmit', '--incremental', 'false');
    run('eslint', 'src/machines', 'src/inspector/desks', 'src/crew-procedures.ts', 'test/machines/people');
    run('vitest', 'run', 'test/machines/people/handover-desk.test.ts', 'test/tidy.test.ts');
  },
});
