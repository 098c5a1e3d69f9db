/**
 * The recipe for a new agent of the crew with a desk, carried out on a copy of the repository:
 * `node test/recipes/new-desk.mjs`. Adds a desk of handovers, on the page, the command line and in the documentation,
 * checks it, and prints the files that it takes. Exits 1 where they are more than eight, or where the result does not
 * compile or does not work.
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

const ROW = `/** \`bosun handovers\`: work that one person offers to another. */
import {
  HANDOVER_DESK,
  type Handover,
  type HandoverContext,
  handoversIn,
} from '../machines/people/handovers/handover-desk.ts';
import { type DeskRow } from './desk-row.ts';
import { type DeskView, found } from './desk-view.ts';
import { whenKnown } from './stopped-store.ts';

async function handoversOf(view: DeskView): Promise<Handover[]> {
  const desk = await view.look<HandoverContext>(HANDOVER_DESK.id);
  return desk === undefined ? [] : handoversIn(desk.context);
}

export const HANDOVERS: DeskRow<Handover> = {
  none: 'nothing is handed over',
  records: async (view, all) => (await handoversOf(view)).filter(({ acceptedAtMs }) => all || acceptedAtMs === null),
  find: async (view, id) => found(await handoversOf(view), id, \`no handover "\${id}"\`),
  cells: ({ id, work, from, to }) => ({ ID: id, WORK: work, FROM: from, TO: to }),
  facts: ({ id, work, from, to, acceptedAtMs }) => [
    ['handover', id],
    ['work', work],
    ['from', from],
    ['to', to],
    ['accepted', whenKnown(acceptedAtMs)],
  ],
  orders: {
    accept: ({ id }, { by }) => ({
      desk: HANDOVER_DESK.id,
      event: { type: 'handover.accept', id, by },
      said: \`\${id}: accepted by \${by}\`,
    }),
  },
};
`;

const VERBS = `  {
    name: 'handovers',
    row: async () => (await import('./handovers-row.ts')).HANDOVERS,
    says: 'Show and accept work that others offer.',
    list: 'Show what is offered.',
    show: { verb: 'show <id>', says: 'Show a handover.', examples: ['show night-shift'] },
    orders: [{ verb: 'accept <id>', says: 'Take it over.', examples: ['accept night-shift --by ada'] }],
  },
`;

const PAGE = `  viewOf<Handover, Shown<HandoverContext>>({
    name: 'handovers',
    title: 'Handovers',
    agent: 'handover-desk',
    wanted: ['no desk of handovers', 'handoverDesk', 'HANDOVER_DESK'],
    lead: 'Work that one person offers to another',
    empty: 'Nothing is handed over.',
    rows: (context) => partOf<Handover>(context?.open, context?.ended),
    columns: (desk) => [
      { title: 'Work', cell: ({ work }) => work },
      { title: 'From', cell: ({ from }) => from },
      { title: 'To', cell: ({ to }) => to },
      {
        title: 'Order',
        cell: ({ id, work, acceptedAtMs }) =>
          acceptedAtMs === null && (
            <OrderButton label="Accept" name={\`Accept \${work}\`} order={() => accepting(desk, id)} />
          ),
      },
    ],
  }),
`;

const ACCEPTING = `function accepting(address: string, id: string): DeskOrder {
  return {
    title: \`Accept \${id}\`,
    verb: 'Accept',
    address,
    fields: [BY],
    means: 'The work is yours.',
    eventOf: ({ by = '' }) => ({ type: 'handover.accept', id, by }),
    done: \`\${id} is yours.\`,
  };
}

`;

const PAGE_IMPORTS = `import type { Handover, HandoverContext } from '../../machines/people/handovers/handover-desk.ts';
import { type Shown } from '../../client/contract.ts';
import { partOf } from '../part.ts';
import { BY, type DeskOrder } from './desk-orders.ts';
import { OrderButton } from './desk-page.tsx';
`;

const TEST = `import { expect, it } from 'vitest';
import { commandLine } from '../../../src/cli/command-line.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { startWholeCrew } from '../../support/machines/whole-crew.ts';

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

it('has verbs', async () => {
  let out = '';
  const streams = { out: { write: (text: string) => (out += text) }, err: { write: (text: string) => (out += text) } };
  const around = { ...streams, env: {}, cwd: '/', interruption: () => new AbortController().signal };
  await commandLine(['handovers', 'accept', '--help'], around);
  expect(out).toContain('$ bosun handovers accept night-shift --by ada');
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
    changes.insert('src/machines/index.ts', {
      before: 'export {',
      text: `export { HANDOVER_DESK, handoverDesk } from './${machine}';\n`,
    });
    changes.create('src/cli/handovers-row.ts', ROW);
    changes.insert('src/cli/desk-verbs.ts', { before: "  {\n    name: 'alerts'", text: VERBS });
    const page = 'src/inspector/desks/desk-tables.tsx';
    changes.insert(page, { before: 'import ', text: PAGE_IMPORTS });
    changes.insert(page, { before: '];\n\n/** Makes a view of the page from a row.', text: PAGE });
    changes.insert(page, { before: '/** Makes a view of the page from a row.', text: ACCEPTING });
    changes.insert('docs/failures.md', {
      before: '| `alerts` |',
      text: '| `handovers` | work that one person offers to another | `handover.offer`, `handover.accept` |\n',
    });
    changes.create('test/machines/people/handover-desk.test.ts', TEST);
  },
  check({ run }) {
    run('tsc', '-p', 'tsconfig.json', '--noEmit', '--incremental', 'false');
    run('tsc', '-p', 'src/inspector/tsconfig.json', '--noEmit', '--incremental', 'false');
    run('vitest', 'run', 'test/machines/people/handover-desk.test.ts');
  },
});
