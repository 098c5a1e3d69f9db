/** Rules about the tree, Bosses, administration, dead letters, records and names. */
import { ADD, codeOf, countOf, type Rule, sendTo } from '../support/one-system/rule.ts';
import { type Side } from '../support/one-system/sides.ts';

const NOBODY = 'BOSUN_ACTOR_UNKNOWN';
const LETTER = 'BOSUN_MESSAGE_UNKNOWN';

interface Node {
  readonly address: string;
  readonly agent: string;
  readonly status: string;
  readonly restarts: number;
  readonly children: readonly Node[];
}

async function nodeOf(s: Side, address?: string): Promise<Node> {
  return (await s.now(s.tree(address))) as unknown as Node;
}

const flat = (node: Node): string[] => [node.address, ...node.children.flatMap(flat)];

/** Has `a` quarantine a message, and gives the number of its letter. */
async function letter(s: Side): Promise<number> {
  await sendTo(s, 'a', { type: 'fail' });
  await s.advance(10_000);
  const [found] = await s.now(s.letters());
  return found!['number'] as number;
}

export const TREES: readonly Rule[] = [
  [
    'the tree has every actor',
    async (s) => flat(await nodeOf(s)).sort(),
    ['a', 'b', 'c', 'd', 'guest', 'root', 'team', 'team/x', 'team/y'],
  ],
  [
    'the tree begins where it is asked',
    async (s) => flat(await nodeOf(s, 'team')).sort(),
    ['team', 'team/x', 'team/y'],
  ],
  ['a node has its agent', async (s) => (await nodeOf(s, 'a')).agent, 'worker'],
  ['nobody has no tree', (s) => codeOf(s, s.tree('nobody')), NOBODY],
  ['an actor that is spawned is there', async (s) => (await s.now(s.spawn('worker', 'new')), countOf(s, 'new')), 0],
  ['a spawn has the address', (s) => s.now(s.spawn('worker', 'new')), 'new'],
  [
    'a spawn where the actor is changes nothing',
    async (s) => {
      await sendTo(s, 'a', ADD);
      await s.now(s.spawn('worker', 'a'));
      return countOf(s, 'a');
    },
    1,
  ],
  ['a spawn under a bad name is refused', (s) => codeOf(s, s.spawn('worker', 'not a name!')), 'BOSUN_ADDRESS_INVALID'],
  [
    'a Boss names its children',
    async (s) => (await s.now(s.children('team'))).map(({ id, status }) => `${String(id)} ${String(status)}`),
    ['x running', 'y running'],
  ],
  ['who is no Boss has no children to name', (s) => codeOf(s, s.children('a')), NOBODY],
  ['nobody has no children to name', (s) => codeOf(s, s.children('nobody')), NOBODY],
  [
    'a child that is terminated is kept as ended',
    async (s) => {
      await s.now(s.terminateChild('team', 'x'));
      return (await s.now(s.children('team'))).map(({ status }) => status).sort();
    },
    ['ended', 'running'],
  ],
  [
    'a child that is terminated is gone',
    async (s) => (await s.now(s.terminateChild('team', 'x')), codeOf(s, s.actor('team/x'))),
    NOBODY,
  ],
  [
    'a child that is restarted begins anew',
    async (s) => {
      await sendTo(s, 'team/x', ADD);
      await s.now(s.terminateChild('team', 'x'));
      return [await s.now(s.restartChild('team', 'x')), await countOf(s, 'team/x')];
    },
    ['team/x', 0],
  ],
  ['a running child is not restarted', (s) => codeOf(s, s.restartChild('team', 'x')), 'BOSUN_CHILD_RUNNING'],
  ['a running child is not deleted', (s) => codeOf(s, s.deleteChild('team', 'x')), 'BOSUN_CHILD_RUNNING'],
  [
    'a child that is deleted is forgotten',
    async (s) => {
      await s.now(s.terminateChild('team', 'x'));
      await s.now(s.deleteChild('team', 'x'));
      return (await s.now(s.children('team'))).map(({ id }) => id);
    },
    ['y'],
  ],
  ['an unknown child is not terminated', (s) => codeOf(s, s.terminateChild('team', 'z')), 'BOSUN_CHILD_UNKNOWN'],
  ['an unknown child is not restarted', (s) => codeOf(s, s.restartChild('team', 'z')), 'BOSUN_CHILD_UNKNOWN'],
  [
    'a handle goes on over a restart',
    async (s) => {
      const actor = await s.now(s.actor('a'));
      await sendTo(s, 'a', ADD);
      await s.now(s.kill('a'));
      await s.advance(10_000);
      await sendTo(s, 'a', ADD);
      return (actor.getSnapshot().context as { count: number }).count;
    },
    2,
  ],
  [
    'a restart is counted',
    async (s) => {
      await s.now(s.kill('a'));
      await s.advance(10_000);
      return (await nodeOf(s, 'a')).restarts;
    },
    1,
  ],
];

export const ADMINISTRATION: readonly Rule[] = [
  [
    'a suspended actor takes no turns, and takes them when it is resumed',
    async (s) => {
      const actor = await s.now(s.actor('b'));
      const count = () => (actor.getSnapshot().context as { count: number }).count;
      await s.now(s.suspend('b'));
      await sendTo(s, 'b', ADD);
      const before = count();
      await s.now(s.resume('b'));
      return [before, count()];
    },
    [0, 1],
  ],
  [
    'a suspended actor is shown so in the tree',
    async (s) => (await s.now(s.suspend('b')), (await nodeOf(s, 'b')).status),
    'suspended',
  ],
  [
    'a step takes one event',
    async (s) => {
      await s.now(s.suspend('b'));
      await s.now(s.sendMany([ADD, ADD].map((event) => ({ to: 'b', event }))));
      const type = await s.now(s.step('b'));
      const { context } = (await s.now(s.actor('b'))).getSnapshot();
      return [type, (context as { count: number }).count];
    },
    ['add', 1],
  ],
  ['a step without an event takes none', async (s) => (await s.now(s.suspend('b')), s.now(s.step('b'))), null],
  [
    'a state is replaced while the actor is suspended',
    async (s) => {
      await s.now(s.suspend('b'));
      await s.now(s.replace('b', { value: 'closed' }));
      return (await s.now(s.actor('b'))).getSnapshot().value;
    },
    'closed',
  ],
  [
    'a state of a running actor is not replaced',
    (s) => codeOf(s, s.replace('b', { value: 'closed' })),
    'BOSUN_ORDER_REFUSED',
  ],
  [
    'a state that the machine does not have is refused',
    async (s) => (await s.now(s.suspend('b')), codeOf(s, s.replace('b', { value: 'nowhere' }))),
    'BOSUN_ORDER_REFUSED',
  ],
  [
    'a state that has changed since is not replaced',
    async (s) => (await s.now(s.suspend('b')), codeOf(s, s.replace('b', { value: 'closed' }, 999))),
    'BOSUN_ACTOR_CHANGED',
  ],
  ...(['suspend', 'resume', 'step', 'kill', 'erase'] as const).map(
    (verb): Rule => [`nobody is not told to ${verb}`, (s) => codeOf(s, s[verb]('nobody')), NOBODY],
  ),
  [
    'an order is in the audit',
    async (s) => {
      await s.now(s.suspend('b'));
      await s.now(s.resume('b'));
      return (await s.now(s.audit())).map(({ order, address, outcome }) => [order, address, outcome]);
    },
    [
      ['resume', 'b', 'done'],
      ['suspend', 'b', 'done'],
    ],
  ],
  [
    'the audit of an address has its orders',
    async (s) => {
      await s.now(s.suspend('a'));
      await s.now(s.suspend('b'));
      return (await s.now(s.audit('a'))).map(({ address }) => address);
    },
    ['a'],
  ],
  ['an audit without orders is empty', (s) => s.now(s.audit()), []],
  [
    'a row is put into a table and taken out of it',
    async (s) => {
      const actor = await s.now(s.actor('c'));
      const before = actor.getSnapshot().sequence;
      await s.now(s.suspend('c'));
      await s.now(s.putRow('c', 'k', { text: 'one' }));
      await s.now(s.deleteRow('c', 'k'));
      return actor.getSnapshot().sequence > before;
    },
    true,
  ],
  ['a row of a running actor is not put', (s) => codeOf(s, s.putRow('c', 'k', { text: '' })), 'BOSUN_ORDER_REFUSED'],
  [
    'the last turns of an actor are kept by their events',
    async (s) => {
      await sendTo(s, 'd', ADD);
      await sendTo(s, 'd', { type: 'close' });
      const turns = (await s.now(s.turns('d'))) as readonly { event: { type: string } | null }[];
      return turns.map(({ event }) => event?.type).slice(-2);
    },
    ['add', 'close'],
  ],
  [
    'an actor that is erased is gone',
    async (s) => (await s.now(s.erase('guest')), codeOf(s, s.actor('guest'))),
    NOBODY,
  ],
];

export const LETTERS: readonly Rule[] = [
  ['without misfortune there is no letter', (s) => s.now(s.letters()), []],
  [
    'a message that fails three times is a letter',
    async (s) => {
      await letter(s);
      return (await s.now(s.letters())).map(({ reason, address }) => [reason, address]);
    },
    [['quarantined', 'a']],
  ],
  [
    'the actor goes on beside its letter',
    async (s) => (await letter(s), await sendTo(s, 'a', ADD), countOf(s, 'a')),
    1,
  ],
  [
    'a letter that is edited is delivered',
    async (s) => {
      await s.now(s.edit(await letter(s), { type: 'add', by: 5 }));
      return [await countOf(s, 'a'), (await s.now(s.letters())).length];
    },
    [5, 0],
  ],
  [
    'a letter that is discarded is gone',
    async (s) => {
      await s.now(s.discard(await letter(s)));
      return s.now(s.letters());
    },
    [],
  ],
  [
    'a letter that is redelivered fails again',
    async (s) => {
      await s.now(s.redeliver(await letter(s)));
      await s.advance(10_000);
      return (await s.now(s.letters())).map(({ reason }) => reason);
    },
    ['quarantined'],
  ],
  ['an unknown letter is not redelivered', (s) => codeOf(s, s.redeliver(99)), LETTER],
  ['an unknown letter is not edited', (s) => codeOf(s, s.edit(99, ADD)), LETTER],
  ['an unknown letter is not discarded', (s) => codeOf(s, s.discard(99)), LETTER],
  [
    'a letter is not edited to an undeclared event',
    async (s) => codeOf(s, s.edit(await letter(s), { type: 'nothing' })),
    'BOSUN_EVENT_REFUSED',
  ],
];

const noted = async (s: Side, address: string, order: string, ...whats: number[]) => {
  await s.now(s.sendMany(whats.map((what) => ({ to: address, event: { type: 'note', order, what } }))));
};

const values = (page: unknown) =>
  (page as { records: { value: { what: number } }[] }).records.map(({ value }) => value.what);

export const RECORDS: readonly Rule[] = [
  [
    'records are read in order',
    async (s) => (await noted(s, 'a', 'o', 1, 2, 3), values(await s.now(s.records('a')))),
    [1, 2, 3],
  ],
  ...(
    [
      ['a page ends at its limit', { limit: 2 }, [1, 2]],
      ['a page goes on behind a number', { after: 1 }, [2, 3]],
      ['a page ends before a number', { before: 3 }, [1, 2]],
      ['a page may begin with the newest', { newestFirst: true, limit: 2 }, [3, 2]],
      ['a page has what fits', { where: { what: 2 } }, [2]],
      ['a page has nothing that does not fit', { where: { order: 'other' } }, []],
    ] as const
  ).map(
    ([title, which, expected]): Rule => [
      title,
      async (s) => (await noted(s, 'a', 'o', 1, 2, 3), values(await s.now(s.records('a', which)))),
      expected,
    ],
  ),
  ['an actor without records has none', async (s) => values(await s.now(s.records('b'))), []],
  ['nobody has no records', (s) => codeOf(s, s.records('nobody')), NOBODY],
  [
    'records are found by key over all actors, in order of time',
    async (s) => {
      await noted(s, 'a', 'o-1', 1);
      await s.advance(1_000);
      await noted(s, 'b', 'o-1', 2);
      await noted(s, 'c', 'o-2', 3);
      return (await s.now(s.found(['order', 'o-1']))).map(({ address, value }) => [
        address,
        (value as { what: number }).what,
      ]);
    },
    [
      ['a', 1],
      ['b', 2],
    ],
  ],
  ['a key without records finds none', (s) => s.now(s.found(['order', 'o-9'])), []],
  ['an undeclared key is refused', (s) => codeOf(s, s.found(['colour', 'red'])), 'BOSUN_RECORDS_UNKNOWN'],
];

export const NAMES: readonly Rule[] = [
  ...(['a', 'b', 'c', 'd'] as const).map(
    (id): Rule => [`the name of ${id} is found`, (s) => s.now(s.lookup(`name of ${id}`)), id],
  ),
  ['a name that nobody has is not found', (s) => s.now(s.lookup('nobody')), null],
  ['a group without members is empty', (s) => s.now(s.members('guild')), []],
  [
    'a group has those who joined',
    async (s) => {
      for (const to of ['a', 'b']) await sendTo(s, to, { type: 'meet' });
      return [...(await s.now(s.members('guild')))].sort();
    },
    ['a', 'b'],
  ],
  [
    'a member that ends has left',
    async (s) => {
      await sendTo(s, 'guest', { type: 'meet' });
      await sendTo(s, 'guest', { type: 'end' });
      return s.now(s.members('guild'));
    },
    [],
  ],
];
