/** G1: the step engine alone against `createActor`, over so many actors that no cache holds them. */
import { workload } from '../machines.mjs';
import { inTurn } from '../rounds.mjs';
import { CYCLE, plainSteps, stepMachine, Stepped } from '../steps.mjs';

export const steps = {
  name: 'G1',
  title: 'Step engine',
  about: ({ definitions, actors, events }) =>
    `${definitions} machines of different names (guard, assign, entry action, nested states, \`after\`) and ` +
    `${actors.toLocaleString('en')} actors of them in random order, ` +
    `${events.toLocaleString('en')} events a round in cycles of four, each of which takes a transition. ` +
    `**plan**: the plan engine's \`transition\`, without kernel and store; what it describes is counted. ` +
    '**memory**: `createActor(...).send`, with a clock that arms nothing. After every round value and context of ' +
    'every actor are compared.',
  sizes: {
    full: { definitions: 20, actors: 20_000, events: 400_000 },
    quick: { definitions: 20, actors: 500, events: 10_000 },
  },
  ratios: [
    {
      name: 'step engine, 20 definitions x 20,000 actors, random order, against createActor',
      of: ({ plan, memory }) => plan.perSecond / memory.perSecond,
      between: { rate: ['plan', 'memory'] },
      atLeast: 15,
      aim: 25,
    },
  ],

  async open({ definitions, actors, events }) {
    const machines = Array.from({ length: definitions }, (_, number) => stepMachine(number));
    const stepped = new Stepped(machines, actors);
    const plain = plainSteps(machines, actors);
    const plan = contender(actors, events, (actor, event) => stepped.send(actor, event));
    const round = inTurn({ plan, memory: contender(actors, events, (actor, event) => plain[actor].send(event)) });
    return {
      subject: plan,
      async round() {
        const described = stepped.described;
        const sample = await round();
        assertSameStates(stepped, plain);
        // Effects of each cycle: two actions, one timer armed and cancelled.
        if (stepped.described - described < events / 2) throw new Error('the step engine left effects out');
        return sample;
      },
      async close() {},
    };
  },
};

function contender(actors, events, send) {
  const next = workload(actors, CYCLE);
  return () => {
    const startMs = performance.now();
    for (let sent = 0; sent < events; sent++) {
      const { actor, event } = next();
      send(actor, event);
    }
    return { perSecond: (events * 1_000) / (performance.now() - startMs) };
  };
}

function assertSameStates(stepped, plain) {
  plain.forEach((actor, index) => {
    const [expected, seen] = [actor.getSnapshot(), stepped.snapshot(index)].map(({ status, value, context }) =>
      JSON.stringify([status, value, context]),
    );
    if (seen !== expected) throw new Error(`item-${index} is ${seen}, under createActor ${expected}`);
  });
}
