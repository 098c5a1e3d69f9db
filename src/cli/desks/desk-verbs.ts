/**
 * The command line's verbs for the crew's desks: a row per desk, with a row per verb. They are carried out by
 * desk-command.ts, which is loaded on demand.
 */
import { InvalidArgumentError, Option } from 'commander';
import { whom } from '../system/administration-verbs.ts';
import { type Evidence } from '../../machines/coordination/debates/challenge.ts';
import { dateMs } from '../times.ts';
import { option, repeated, urgency, type Verb, type VerbGroup } from '../verb.ts';

interface DeskVerb extends Pick<Verb, 'says' | 'examples' | 'options'> {
  readonly verb: string;
}

interface DeskVerbs {
  readonly name: string;
  /** Loads the DeskRow when a verb is called. */
  readonly row: () => Promise<object>;
  readonly says: string;
  readonly list: string;
  /** Whether lists leave out ended records unless `--all` is given. */
  readonly hasAll?: boolean;
  /** Whether lists can be restricted to what one person may answer. */
  readonly hasAudience?: boolean;
  readonly show: DeskVerb;
  /** Makes a new record. */
  readonly open?: DeskVerb;
  readonly orders: readonly DeskVerb[];
}

const side = (says: string) => new Option('--side <side>', says).choices(['challenger', 'challenged']);

const OWN_POSITION = [
  option('--statement <text>', 'a position of neither side'),
  option('--value <value>', 'its value, a number or a name'),
];

const DESKS: readonly DeskVerbs[] = [
  {
    name: 'pauses',
    row: async () => (await import('./pauses-row.ts')).PAUSES,
    says: 'Show and handle paused items.',
    list: 'List paused items, why and since when.',
    show: {
      verb: 'show <item>',
      says: 'Show the pause of an item, with what runs again when it is resumed.',
      examples: ['show AAPL'],
    },
    orders: [
      { verb: 'resume <item>', says: 'Resume an item.', examples: ['resume AAPL'] },
      {
        verb: 'extend <item>',
        says: 'Extend a pause, once, to at most 30 days.',
        examples: ['extend AAPL --until 2026-02-01 --reason "waits for the filing"'],
        options: [option('--until <date>', 'end of the extension', dateMs).makeOptionMandatory()],
      },
      {
        verb: 'expire <item>',
        says: 'Give up a paused item.',
        examples: ['expire AAPL --reason "delisted"'],
      },
    ],
  },
  {
    name: 'batches',
    row: async () => (await import('./batches-row.ts')).BATCHES,
    says: 'Show and resume items that were paused together.',
    list: 'List batches.',
    hasAll: false,
    show: { verb: 'show <id>', says: 'Show a batch and its items.', examples: ['show batch-1'] },
    orders: [
      {
        verb: 'resume <id>',
        says: 'Resume all items of a batch, some at a time.',
        examples: ['resume batch-1', 'resume batch-1 --concurrency 2'],
        options: [option('--concurrency <count>', 'number of items at a time (default: unchanged)', count)],
      },
    ],
  },
  {
    name: 'debates',
    row: async () => (await import('./debates-row.ts')).DEBATES,
    says: 'Show and decide disputes between agents.',
    list: 'List open debates.',
    show: {
      verb: 'show <id>',
      says: 'Show a debate: its level, what was said, and how credible both sides are.',
      examples: ['show margin', 'show margin --json'],
    },
    orders: [
      {
        verb: 'confirm <id>',
        says: 'Confirm the provisional value.',
        examples: ['confirm margin --by eve'],
      },
      {
        verb: 'override <id>',
        says: 'Replace the provisional value; tasks that used it run again.',
        examples: ['override margin --side challenged --by eve --reason "the filing is older"'],
        options: [side('side whose position is to apply (default: the other one)'), ...OWN_POSITION],
      },
      {
        verb: 'redebate <id>',
        says: 'Debate it again, with new facts.',
        examples: ['redebate margin --by eve --reason "a new filing is out"'],
      },
      {
        verb: 'review <id>',
        says: 'Ask people now about a provisional or deferred decision.',
        examples: ['review margin --by eve'],
      },
      { verb: 'take-up <id>', says: 'Take the debate up, as its expert.', examples: ['take-up margin --by eve'] },
      {
        verb: 'decide <id>',
        says: 'Decide, as its expert: for one side, for a position of your own, or as recommended.',
        examples: [
          'decide margin --side challenger --by eve',
          'decide margin --statement "26 %" --value 0.26 --by eve',
          'decide margin --as-recommended --by eve',
        ],
        options: [
          side('side whose position is to apply'),
          ...OWN_POSITION,
          option('--as-recommended', 'follow the recommendation of the facilitator'),
        ],
      },
      {
        verb: 'ask-evidence <id>',
        says: 'Ask both sides, as its expert, for more evidence, once.',
        examples: ['ask-evidence margin --by eve --reason "where is the filing?"'],
      },
      {
        verb: 'defer <id>',
        says: 'Defer it, as its expert, to the next gate; only if the finding is supporting.',
        examples: ['defer margin --by eve'],
      },
      {
        verb: 'acknowledge <id>',
        says: 'Acknowledge the challenge, for the challenged side.',
        examples: ['acknowledge margin --by planner'],
      },
      {
        verb: 'respond <id>',
        says: 'Speak for one side, with evidence.',
        examples: [
          'respond margin --by planner --statement "By the plan of sales." --evidence "calculation:sheet 3:0.6"',
        ],
        options: [
          option('--statement <text>', 'text of the statement').makeOptionMandatory(),
          option('--evidence <kind:source:strength>', 'a piece of evidence; can be repeated', evidences),
        ],
      },
      {
        verb: 'accept <id>',
        says: 'Accept the position of the other side, which ends the debate.',
        examples: ['accept margin --by planner'],
      },
      {
        verb: 'outcome <id>',
        says: 'Record which side proved right, for later debates.',
        examples: ['outcome margin --right challenger'],
        options: [
          new Option('--right <side>', 'side that was right')
            .choices(['challenger', 'challenged', 'both', 'neither'])
            .makeOptionMandatory(),
        ],
      },
    ],
  },
  {
    name: 'experts',
    row: async () => (await import('./experts-row.ts')).EXPERTS,
    says: 'Show who decides debates, and who is away.',
    list: 'List experts with their loads.',
    hasAll: false,
    show: { verb: 'show <name>', says: 'Show an expert and the debates to decide.', examples: ['show eve'] },
    orders: [
      { verb: 'away <name>', says: 'Take an expert out of debates, also of those under way.', examples: ['away eve'] },
      { verb: 'back <name>', says: 'Give an expert debates again.', examples: ['back eve'] },
    ],
  },
  {
    name: 'gates',
    row: async () => (await import('./gates-row.ts')).GATES,
    says: 'Show and answer questions to people.',
    list: 'List open questions, those that are due first.',
    hasAudience: true,
    show: {
      verb: 'show <id>',
      says: 'Show a question: the material for it, and the form of an answer.',
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
    name: 'tickets',
    row: async () => (await import('./tickets-row.ts')).TICKETS,
    says: 'Show and answer tickets, questions to people with a thread.',
    list: 'List tickets that wait for people.',
    show: {
      verb: 'show <id>',
      says: 'Show a ticket: its question, the evidence, and what was said.',
      examples: ['show TK-0001', 'show TK-0001 --json'],
    },
    open: {
      verb: 'open <question...>',
      says: 'Ask people a question, in a new ticket.',
      examples: [
        'open "Euro or dollar?" --option Euro --option dollar --for ada',
        'open "Which port is free?" --detail "8080 is taken." --priority 1 --task A/draft --blocks --json',
      ],
      options: [
        option('--detail <text>', 'what else there is to know'),
        option('--option <name>', 'a possible answer; can be repeated', repeated),
        option('--priority <number>', 'urgency: 1, 2 or 3 (default: 2)', urgency),
        option('--for <name>', 'person who should answer'),
        option('--task <id>', 'task that the question belongs to'),
        option('--blocks', 'the task waits for the answer'),
      ],
    },
    orders: [
      {
        verb: 'reply <id> [text...]',
        says: 'Reply to a ticket; a reply that is clear resolves it.',
        examples: ['reply TK-0001 "Euro only until the launch" --by ada', 'reply TK-0001 --option euro'],
        options: [option('--option <name>', 'one of the options of the ticket')],
      },
      {
        verb: 'resolve <id> <text...>',
        says: 'Resolve a ticket by hand, whatever the review says.',
        examples: ['resolve TK-0001 "Euro" --by ada --reason "decided in the meeting"'],
      },
      {
        verb: 'reject <id>',
        says: 'Reject a ticket: it will not be answered.',
        examples: ['reject TK-0001 --reason "not ours"'],
      },
      {
        verb: 'reopen <id>',
        says: 'Open a resolved or rejected ticket again.',
        examples: ['reopen TK-0001 --reason "the plan has changed"'],
      },
      {
        verb: 'assign <id> [person...]',
        says: 'Name the person who is to answer, or nobody.',
        examples: ['assign TK-0001 ada', 'assign TK-0001'],
      },
      {
        verb: 'escalate <id>',
        says: 'Hand a ticket to those who supervise the work.',
        examples: ['escalate TK-0001 --reason "nobody here knows"'],
      },
    ],
  },
  {
    name: 'alerts',
    row: async () => (await import('./alerts-row.ts')).ALERTS,
    says: 'Show and acknowledge alerts.',
    list: 'List alerts that nobody has acknowledged.',
    show: { verb: 'show <id>', says: 'Show an alert in full.', examples: ['show alert-3'] },
    orders: [
      {
        verb: 'ack <id>',
        says: 'Acknowledge an alert: somebody takes care of it.',
        examples: ['ack alert-3 --by ada'],
      },
    ],
  },
];

/** The desks that help names below its list only, since a page of help is short. */
const LISTED_BELOW = ['batches', 'debates', 'experts'];

const BY = option('--by <name>', 'name of the person who does this (default: your user name)');

const BY_WHOM = [BY, option('--reason <text>', 'why')];

/** The verbs of a desk, grouped under its name. */
function verbsOf({
  name,
  row,
  says,
  list,
  hasAll = true,
  hasAudience = false,
  show,
  open,
  orders,
}: DeskVerbs): VerbGroup {
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
    options: [
      ...(hasAll ? [option('--all', 'also list closed ones')] : []),
      ...(hasAudience ? [option('--for <name>', 'only those that this person may answer')] : []),
    ],
  };
  return {
    name,
    says,
    ...(LISTED_BELOW.includes(name) && { isHidden: true as const }),
    verbs: [
      verb(listing, async ({ data, options: { all = false, for: audience } }) =>
        (await import('./desk-command.ts')).listDesk(await row(), { ...data, all, audience }),
      ),
      verb(show, async ({ data }, key: string) =>
        (await import('./desk-command.ts')).showRecord(await row(), key, data),
      ),
      ...(open === undefined ? [] : [openingVerb(open, row, verb)]),
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

/** The verb that makes a new record. */
function openingVerb(open: DeskVerb, row: DeskVerbs['row'], verb: (of: DeskVerb, run: Verb['run']) => Verb): Verb {
  return verb(
    { ...open, options: [...(open.options ?? []), BY] },
    async ({ data, options: { option: _, ...options }, command }, words: string[]) => {
      // Here an option of this name can be repeated.
      const given = command.getOptionValue('option') as readonly string[] | undefined;
      const { openRecord } = await import('./desk-command.ts');
      return openRecord(await row(), { ...options, ...whom(options), words, options: given, ...data });
    },
  );
}

function count(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('Not a count from 1 to 999.');
  return Number(text);
}

function evidences(text: string, before: readonly Evidence[] = []): readonly Evidence[] {
  const [, kind, source, strength] = /^([^:]+):(.+):(0(?:\.\d+)?|1(?:\.0+)?)$/.exec(text) ?? [];
  if (kind === undefined || source === undefined)
    throw new InvalidArgumentError(
      'Not evidence, such as "filing:page 40:0.8": kind, source and strength from 0 to 1.',
    );
  return [...before, { kind, source, strength: Number(strength) }];
}

export const DESK_VERBS: readonly VerbGroup[] = DESKS.map(verbsOf);
