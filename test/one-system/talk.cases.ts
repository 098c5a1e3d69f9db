/** Rules about sends, asks and handles. */
import { ADD, codeOf, COUNT, countOf, type Rule, sendTo } from '../support/one-system/rule.ts';
import { type Seen } from '../support/one-system/sides.ts';

const CONTEXT_COUNT = ({ context }: Seen) => (context as { count: number }).count;
const NOBODY = 'BOSUN_ACTOR_UNKNOWN';

export const SENDS: readonly Rule[] = [
  ['a send is processed', async (s) => (await sendTo(s, 'a', ADD), countOf(s, 'a')), 1],
  [
    'sends of one handle keep their order',
    async (s) => {
      const actor = await s.now(s.actor('a'));
      const heard: unknown[] = [];
      actor.on('counted', ({ count }) => heard.push(count));
      await s.now(Promise.resolve());
      await s.now(Promise.all([1, 2, 3].map((by) => actor.send({ type: 'add', by }))));
      return heard;
    },
    [1, 3, 6],
  ],
  ...(
    [
      ['an undeclared event is refused', 'a', { type: 'nothing' }, 'BOSUN_EVENT_REFUSED'],
      ['an event of the runtime is refused', 'a', { type: 'xstate.stop' }, 'BOSUN_EVENT_REFUSED'],
      ['a field that is missing is refused', 'a', { type: 'add' }, 'BOSUN_EVENT_INVALID'],
      ['a field of another type is refused', 'a', { type: 'add', by: 'one' }, 'BOSUN_EVENT_INVALID'],
      ['an event that the state does not handle is taken', 'a', { type: 'open' }, 'none'],
      ['a Boss takes no events', 'team', ADD, 'BOSUN_EVENT_REFUSED'],
    ] as const
  ).map(
    ([title, address, event, code]): Rule => [
      title,
      async (s) => codeOf(s, (await s.now(s.actor(address))).send(event)),
      code,
    ],
  ),
  [
    'many sends arrive in order, to several actors',
    async (s) => {
      await s.now(s.sendMany(['a', 'b', 'a', 'c'].map((to) => ({ to, event: ADD }))));
      return [await countOf(s, 'a'), await countOf(s, 'b'), await countOf(s, 'c')];
    },
    [2, 1, 1],
  ],
  [
    'of many sends the good ones arrive, and the refused ones are named',
    async (s) => {
      const sends = [
        { to: 'a', event: ADD },
        { to: 'nobody', event: ADD },
        { to: 'b', event: { type: 'nothing' } },
        { to: 'b', event: ADD },
      ];
      const refused = await s.now(
        s.sendMany(sends).then(
          () => [],
          (error: { details: { refused: { index: number; error: { code: string } }[] } }) =>
            error.details.refused.map(({ index, error: { code } }) => [index, code]),
        ),
      );
      return [refused, await countOf(s, 'a'), await countOf(s, 'b')];
    },
    [
      [
        [1, NOBODY],
        [2, 'BOSUN_EVENT_REFUSED'],
      ],
      1,
      1,
    ],
  ],
  ['no sends at all are no error', (s) => codeOf(s, s.sendMany([])), 'none'],
  [
    'many sends of a handle arrive',
    async (s) => {
      await s.now((await s.now(s.actor('d'))).sendMany([ADD, ADD, ADD]));
      return countOf(s, 'd');
    },
    3,
  ],
  [
    'a send to an actor that has ended is refused',
    async (s) => {
      const guest = await s.now(s.actor('guest'));
      await s.now(guest.send({ type: 'end' }));
      return codeOf(s, guest.send(ADD));
    },
    NOBODY,
  ],
];

export const ASKS: readonly Rule[] = [
  ['an ask has the reply', (s) => countOf(s, 'b'), 0],
  ['an ask sees the sends before it', async (s) => (await sendTo(s, 'b', ADD), countOf(s, 'b')), 1],
  [
    'an ask without a reply is over after its time',
    async (s) => {
      const asked = (await s.now(s.actor('a'))).ask({ type: 'hear' }, { timeoutMs: 1_000 });
      const code = asked.then(String, (error: { code: string }) => error.code);
      await s.advance(1_500);
      return code;
    },
    'BOSUN_TIMEOUT',
  ],
  [
    'an ask that the state does not take says so',
    async (s) => codeOf(s, (await s.now(s.actor('a'))).ask({ type: 'open' })),
    'BOSUN_EVENT_NOT_TAKEN',
  ],
  [
    'an ask whose turn fails says so',
    async (s) => codeOf(s, (await s.now(s.actor('a'))).ask({ type: 'fail' })),
    'BOSUN_ASK_FAILED',
  ],
  [
    'an undeclared question is refused',
    async (s) => codeOf(s, (await s.now(s.actor('a'))).ask({ type: 'nothing' })),
    'BOSUN_EVENT_REFUSED',
  ],
  [
    'a suspended actor is not asked, and says why at once',
    async (s) => (await s.now(s.suspend('a')), codeOf(s, (await s.now(s.actor('a'))).ask(COUNT))),
    'BOSUN_ACTOR_SUSPENDED',
  ],
  [
    'an actor whose state is suspect takes no event, and says why at once',
    async (s) => {
      for (let n = 0; n < 2; n++) {
        await sendTo(s, 'a', { type: 'fail' });
        await s.advance(10_000);
      }
      const actor = await s.now(s.actor('a'));
      return [await codeOf(s, actor.send(ADD)), await codeOf(s, actor.ask(COUNT))];
    },
    ['BOSUN_STATE_SUSPECT', 'BOSUN_STATE_SUSPECT'],
  ],
  ['nobody can be asked', (s) => codeOf(s, s.askOnce('nobody', COUNT, 'k')), NOBODY],
  [
    'a repeated ask has the first reply',
    async (s) => {
      const first = await s.now(s.askOnce('a', COUNT, 'one'));
      await sendTo(s, 'a', ADD);
      return [first, await s.now(s.askOnce('a', COUNT, 'one')), await s.now(s.askOnce('a', COUNT, 'two'))];
    },
    [0, 0, 1],
  ],
  [
    'an actor that has ended is not asked',
    async (s) => {
      const guest = await s.now(s.actor('guest'));
      await s.now(guest.send({ type: 'end' }));
      return codeOf(s, guest.ask(COUNT));
    },
    NOBODY,
  ],
  [
    'asks at the same time have their own replies',
    async (s) => {
      const [a, b] = [await s.now(s.actor('a')), await s.now(s.actor('b'))];
      await s.now(b.send({ type: 'add', by: 7 }));
      return s.now(Promise.all([a.ask(COUNT), b.ask(COUNT), a.ask(COUNT)]));
    },
    [0, 7, 0],
  ],
];

export const HANDLES: readonly Rule[] = [
  ['nobody has no handle', (s) => codeOf(s, s.actor('nobody')), NOBODY],
  ['a handle has its address', async (s) => (await s.now(s.actor('team/x'))).address, 'team/x'],
  ['an address has one handle', async (s) => (await s.now(s.actor('a'))) === (await s.now(s.actor('a'))), true],
  [
    'a handle shows its actor at once',
    async (s) => {
      const { status, value } = (await s.now(s.actor('a'))).getSnapshot();
      return { status, value };
    },
    { status: 'active', value: { open: 'calm' } },
  ],
  [
    'a handle shows what has changed since',
    async (s) => {
      const actor = await s.now(s.actor('b'));
      const before = CONTEXT_COUNT(actor.getSnapshot());
      await sendTo(s, 'b', ADD);
      return [before, CONTEXT_COUNT(actor.getSnapshot())];
    },
    [0, 1],
  ],
  [
    'a snapshot does not change afterwards',
    async (s) => {
      const actor = await s.now(s.actor('b'));
      const kept = actor.getSnapshot();
      await sendTo(s, 'b', ADD);
      return CONTEXT_COUNT(kept);
    },
    0,
  ],
  [
    'a snapshot is the same until the actor changes',
    async (s) => {
      const actor = await s.now(s.actor('b'));
      const before = actor.getSnapshot();
      await sendTo(s, 'a', ADD);
      return before === actor.getSnapshot();
    },
    true,
  ],
  ...(
    [
      ['matches a whole state', (one) => one.matches({ open: 'calm' }), true],
      ['matches a part of a state', (one) => one.matches('open'), true],
      ['does not match another state', (one) => one.matches('closed'), false],
      ['has the tags of its state', (one) => one.hasTag('ready'), true],
      ['has no other tag', (one) => one.hasTag('calm'), false],
      ['can what its state handles', (one) => one.can({ type: 'close' }), true],
      ['can what its root handles', (one) => one.can({ type: 'count' }), true],
      ['cannot what no active state handles', (one) => one.can({ type: 'open' }), false],
      ['cannot what is not declared', (one) => one.can({ type: 'nothing' }), false],
      ['has no output before its end', (one) => one.output ?? null, null],
    ] as readonly (readonly [string, (seen: Seen) => unknown, unknown])[]
  ).map(
    ([title, ask, expected]): Rule => [
      `a snapshot ${title}`,
      async (s) => ask((await s.now(s.actor('c'))).getSnapshot()),
      expected,
    ],
  ),
  [
    'the questions follow the state',
    async (s) => {
      const actor = await s.now(s.actor('c'));
      await sendTo(s, 'c', { type: 'close' });
      const now = actor.getSnapshot();
      return [now.matches('closed'), now.hasTag('ready'), now.can({ type: 'open' }), now.can(ADD)];
    },
    [true, false, true, false],
  ],
  [
    'the sequence counts changes',
    async (s) => {
      const actor = await s.now(s.actor('c'));
      const before = actor.getSnapshot().sequence;
      await sendTo(s, 'c', ADD);
      await sendTo(s, 'c', ADD);
      return actor.getSnapshot().sequence - before;
    },
    2,
  ],
  [
    'a subscription begins with the next change',
    async (s) => {
      const actor = await s.now(s.actor('a'));
      await sendTo(s, 'a', ADD);
      const heard: number[] = [];
      actor.subscribe((snapshot) => heard.push(CONTEXT_COUNT(snapshot)));
      await s.now(Promise.resolve());
      const early = [...heard];
      await sendTo(s, 'a', ADD);
      return [early, heard];
    },
    [[], [2]],
  ],
  [
    'every subscriber hears, until it ends',
    async (s) => {
      const actor = await s.now(s.actor('a'));
      const [one, two]: [number[], number[]] = [[], []];
      const first = actor.subscribe((snapshot) => one.push(CONTEXT_COUNT(snapshot)));
      actor.subscribe((snapshot) => two.push(CONTEXT_COUNT(snapshot)));
      await sendTo(s, 'a', ADD);
      first.unsubscribe();
      await sendTo(s, 'a', ADD);
      return [one, two];
    },
    [[1], [1, 2]],
  ],
  [
    'a subscriber hears nothing of other actors',
    async (s) => {
      const heard: unknown[] = [];
      (await s.now(s.actor('a'))).subscribe((snapshot) => heard.push(snapshot));
      await sendTo(s, 'b', ADD);
      return heard;
    },
    [],
  ],
  [
    'the end of an actor ends its subscriptions',
    async (s) => {
      const guest = await s.now(s.actor('guest'));
      let ends = 0;
      guest.subscribe(
        () => {},
        () => (ends += 1),
        () => (ends += 1),
      );
      await s.now(s.terminateChild('root', 'guest'));
      return ends;
    },
    1,
  ],
  [
    'the last snapshot of an actor that was removed says so',
    async (s) => {
      const guest = await s.now(s.actor('guest'));
      await s.now(s.terminateChild('root', 'guest'));
      return guest.getSnapshot().status;
    },
    'stopped',
  ],
];

export const WAITS: readonly Rule[] = [
  [
    'a wait is over at once where the present snapshot fits',
    async (s) => (await s.now((await s.now(s.actor('a'))).waitFor((one) => one.matches('open')))).status,
    'active',
  ],
  [
    'a wait is over with the first snapshot that fits',
    async (s) => {
      const waiting = (await s.now(s.actor('a'))).waitFor((one) => CONTEXT_COUNT(one) >= 2);
      for (let n = 0; n < 3; n++) await sendTo(s, 'a', ADD);
      return CONTEXT_COUNT(await s.now(waiting));
    },
    2,
  ],
  [
    'a wait ends with its time',
    async (s) => {
      const waiting = (await s.now(s.actor('a'))).waitFor(() => false, { timeoutMs: 500 });
      const code = waiting.then(String, (error: { code: string }) => error.code);
      await s.advance(1_000);
      return code;
    },
    'BOSUN_TIMEOUT',
  ],
  [
    'a wait rejects with the error of its condition',
    async (s) => {
      const condition = () => {
        throw Object.assign(new Error('odd'), { code: 'odd' });
      };
      return codeOf(s, (await s.now(s.actor('a'))).waitFor(condition));
    },
    'odd',
  ],
  [
    'a wait for an actor that is removed rejects',
    async (s) => {
      const waiting = (await s.now(s.actor('guest'))).waitFor(() => false);
      const code = waiting.then(String, (error: { code: string }) => error.code);
      await s.now(s.terminateChild('root', 'guest'));
      return code;
    },
    NOBODY,
  ],
  [
    'emitted events of a type are heard from now on',
    async (s) => {
      const actor = await s.now(s.actor('d'));
      await sendTo(s, 'd', ADD);
      const heard: unknown[] = [];
      actor.on('counted', (event) => heard.push(event));
      await s.now(Promise.resolve());
      await sendTo(s, 'd', ADD);
      await sendTo(s, 'd', { type: 'meet' });
      return heard;
    },
    [{ type: 'counted', count: 2 }],
  ],
  [
    'emitted events of any type are heard by *',
    async (s) => {
      const heard: string[] = [];
      (await s.now(s.actor('d'))).on('*', ({ type }) => heard.push(type));
      await s.now(Promise.resolve());
      await sendTo(s, 'd', ADD);
      await sendTo(s, 'd', { type: 'meet' });
      return heard;
    },
    ['counted', 'met'],
  ],
  [
    'emitted events are heard until that is ended',
    async (s) => {
      const heard: unknown[] = [];
      const { unsubscribe } = (await s.now(s.actor('d'))).on('counted', (event) => heard.push(event));
      await s.now(Promise.resolve());
      await sendTo(s, 'd', ADD);
      unsubscribe();
      await sendTo(s, 'd', ADD);
      return heard.length;
    },
    1,
  ],
];
