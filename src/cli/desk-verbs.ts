/**
 * The verbs of the crew's desks, as the command line knows them: a row per desk, and in it one per verb. They are
 * carried out by desk-command.ts, which is loaded when one is called for. A new desk is a row here and a file.
 */
import { InvalidArgumentError, Option } from 'commander';
import { whom } from './administration-verbs.ts';
import { option, type Verb, type VerbGroup } from './verb.ts';

interface DeskVerb extends Pick<Verb, 'says' | 'examples' | 'options'> {
  readonly verb: string;
}

interface DeskVerbs {
  readonly name: string;
  /** Its DeskRow, loaded when a verb is called for. */
  readonly row: () => Promise<object>;
  readonly says: string;
  readonly list: string;
  /** Lists leave out what is over, unless they are asked for all. */
  readonly hasAll?: boolean;
  readonly show: DeskVerb;
  readonly orders: readonly DeskVerb[];
}

const DESKS: readonly DeskVerbs[] = [
  {
    name: 'pauses',
    row: async () => (await import('./pauses-row.ts')).PAUSES,
    says: 'Show and handle items that stand.',
    list: 'Show what is paused, why and since when.',
    show: {
      verb: 'show <item>',
      says: 'Show the pause of an item, with what runs again when it is resumed.',
      examples: ['show AAPL'],
    },
    orders: [
      { verb: 'resume <item>', says: 'Have an item go on.', examples: ['resume AAPL'] },
      {
        verb: 'extend <item>',
        says: 'Let a pause last longer, once, and 30 days at most.',
        examples: ['extend AAPL --until 2026-02-01 --reason "waits for the filing"'],
        options: [option('--until <date>', 'when the extension is over', dateMs).makeOptionMandatory()],
      },
      {
        verb: 'expire <item>',
        says: 'End a pause, and give the item up.',
        examples: ['expire AAPL --reason "delisted"'],
      },
    ],
  },
  {
    name: 'batches',
    row: async () => (await import('./batches-row.ts')).BATCHES,
    says: 'Show and resume items that were paused together.',
    list: 'Show all batches.',
    hasAll: false,
    show: { verb: 'show <id>', says: 'Show a batch and its items.', examples: ['show batch-1'] },
    orders: [
      {
        verb: 'resume <id>',
        says: 'Have all items of a batch go on, some at a time.',
        examples: ['resume batch-1', 'resume batch-1 --concurrency 2'],
        options: [option('--concurrency <count>', 'how many at a time (default: as it was)', count)],
      },
    ],
  },
  {
    name: 'debates',
    row: async () => (await import('./debates-row.ts')).DEBATES,
    says: 'Show disputes between agents, and decide about them.',
    list: 'Show the debates under way.',
    show: {
      verb: 'show <id>',
      says: 'Show a debate: its level, what was said, and how credible both are.',
      examples: ['show margin', 'show margin --json'],
    },
    orders: [
      {
        verb: 'confirm <id>',
        says: 'Let the value stand that is gone on with.',
        examples: ['confirm margin --by eve'],
      },
      {
        verb: 'override <id>',
        says: 'Have another value hold; what used the old one runs again.',
        examples: ['override margin --side challenged --by eve --reason "the filing is older"'],
        options: [
          new Option('--side <side>', 'whose position is to hold (default: the one that does not)').choices([
            'challenger',
            'challenged',
          ]),
        ],
      },
      {
        verb: 'redebate <id>',
        says: 'Have it debated again, with what is new.',
        examples: ['redebate margin --by eve --reason "a new filing is out"'],
      },
    ],
  },
  {
    name: 'gates',
    row: async () => (await import('./gates-row.ts')).GATES,
    says: 'Show and answer questions to people.',
    list: 'Show what people are asked.',
    show: {
      verb: 'show <id>',
      says: 'Show a question: what to decide by, and what an answer looks like.',
      examples: ['show plan.G3.1'],
    },
    orders: [
      {
        verb: 'answer <id> <fields...>',
        says: 'Answer a question, each field as key=value.',
        examples: [
          'answer plan.G3.1 decision=approve',
          'answer plan.G3.1 decision=revise --by ada --reason "the rate is too low"',
        ],
      },
    ],
  },
  {
    name: 'alerts',
    row: async () => (await import('./alerts-row.ts')).ALERTS,
    says: 'Show and acknowledge what people have been told.',
    list: 'Show the alerts that nobody has acknowledged.',
    show: { verb: 'show <id>', says: 'Show an alert in full.', examples: ['show alert-3'] },
    orders: [{ verb: 'ack <id>', says: 'Say that somebody looks after it.', examples: ['ack alert-3 --by ada'] }],
  },
];

const BY_WHOM = [option('--by <name>', 'who says so (default: your user name)'), option('--reason <text>', 'why')];

/** A desk's table as verbs under its name. */
function verbsOf({ name, row, says, list, hasAll = true, show, orders }: DeskVerbs): VerbGroup {
  const verb = ({ verb: usage, examples, ...rest }: DeskVerb, run: Verb['run']): Verb => ({
    ...rest,
    usage,
    examples: examples.map((example) => `${name} ${example}`),
    run,
  });
  const listing: DeskVerb = {
    verb: 'list',
    says: list,
    examples: ['list', hasAll ? 'list --all --json' : 'list --json'],
    options: hasAll ? [option('--all', 'also those that are over')] : [],
  };
  return {
    name,
    says,
    verbs: [
      verb(listing, async ({ data, options: { all = false } }) =>
        (await import('./desk-command.ts')).listDesk(await row(), { ...data, all }),
      ),
      verb(show, async ({ data }, key: string) =>
        (await import('./desk-command.ts')).showRecord(await row(), key, data),
      ),
      ...orders.map((order) =>
        verb(
          { ...order, options: [...(order.options ?? []), ...BY_WHOM] },
          async ({ data, options, command }, key: string, fields: readonly string[] = []) => {
            const { giveOrder } = await import('./desk-command.ts');
            const given = { ...options, ...whom(options), fields, verb: command.name(), key };
            return giveOrder(await row(), { ...given, ...data });
          },
        ),
      ),
    ],
  };
}

function count(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('Not a count from 1 to 999.');
  return Number(text);
}

function dateMs(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('Not a date, such as 2026-02-01 or 2026-02-01T12:00Z.');
  return ms;
}

export const DESK_VERBS: readonly VerbGroup[] = DESKS.map(verbsOf);
