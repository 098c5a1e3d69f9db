/** Rules about values in the hands of hosts and clients: nothing that they do to one changes what is stored. */
import { inspect } from 'node:util';
import { type Rule } from '../support/one-system/rule.ts';
import { type Seen, type Side } from '../support/one-system/sides.ts';
import { scribbled } from '../support/scribbled.ts';

const KEEP = { type: 'keep', list: [{ deep: [1] }], text: 'a' } as const;

/** An actor that keeps a date, bytes, a map, a row and the event that it was sent. */
async function keeperOf(side: Side) {
  const actor = await side.now(side.actor(await side.now(side.spawn('keeper', 'keeper'))));
  await side.now(actor.send({ ...KEEP }));
  return actor;
}

const contextOf = ({ context }: Seen): string => inspect(context, { depth: 9 });

/** Whether what the actor shows after an act is what it showed before. */
function unchanged(
  title: string,
  act: (side: Side, actor: Awaited<ReturnType<typeof keeperOf>>) => Promise<unknown>,
): Rule {
  return [
    title,
    async (side) => {
      const actor = await keeperOf(side);
      const before = contextOf(actor.getSnapshot());
      await act(side, actor);
      const after = contextOf(actor.getSnapshot());
      await side.now(actor.send({ type: 'touch' }));
      const later = contextOf(actor.getSnapshot()).replace('touched: 1', 'touched: 0');
      return [before.includes('deep'), after === before, later === before];
    },
    [true, true, true],
  ];
}

export const VALUES: readonly Rule[] = [
  unchanged('a reader that changes its snapshot changes no state', async (_, actor) =>
    scribbled(actor.getSnapshot().context),
  ),
  unchanged('an observer that changes its snapshot changes no state', async (side, actor) => {
    actor.subscribe((snapshot) => scribbled(snapshot.context));
    await side.now(actor.send({ ...KEEP }));
  }),
  unchanged('a condition that changes its snapshot changes no state', async (side, actor) =>
    side.now(actor.waitFor(({ context }) => scribbled(context) !== null)),
  ),
  unchanged('a sender that changes its event after the send changes no state', async (side, actor) => {
    const event = { ...KEEP, list: [{ deep: [1] }] };
    const sending = actor.send(event);
    scribbled(event);
    await side.now(sending);
  }),
  unchanged('an asker that changes the reply changes no state', async (side, actor) =>
    scribbled(await side.now(actor.ask({ type: 'give' }))),
  ),
  unchanged('a listener that changes an emitted event changes no state', async (side, actor) => {
    actor.on('given', (event) => scribbled(event));
    await side.now(actor.send({ type: 'touch' }));
    await side.now(actor.send({ type: 'untouch' }));
  }),
  unchanged('a reader that changes the record of a turn changes no state', async (side, actor) =>
    scribbled(await side.now(side.turns(actor.address))),
  ),
];
