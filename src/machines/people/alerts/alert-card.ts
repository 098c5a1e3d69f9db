/**
 * One alert card (seed 002, CA-075 to CA-078): SENT, DELIVERED, OPENED, ACKNOWLEDGED. A card ends when a person
 * acknowledges it, or when its subject is over (SETTLED: the item runs again, the gate is answered). Until then it
 * repeats and escalates by its own timers; alert-rules.ts says how often and when. The desk counts deliveries and
 * allows each one. Delivery is a port; without one, the card reaches only those who watch the desk.
 */
import { type AnyActorRef, assign, fromPromise, raise, sendTo, setup } from 'xstate';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { messageOf } from '../../../errors.ts';
import {
  type Alert,
  type AlertState,
  cardText,
  mayRepeat,
  merged,
  PATIENCE_MS,
  REPEAT_MS,
  REPEATS_MAX,
} from './alert-rules.ts';
import { ANYBODY, strangerProblem } from '../audience.ts';
import { answerOrder, type PassedOrder } from '../../rules/desk.ts';
import { asBefore, inTurn, type OrderReply, refused, TAKEN } from '../../rules/turn.ts';
import { handledBy, isHandled } from '../../work/handled-events.ts';
import { type Port, portLogic } from '../../work/port.ts';

export interface CardInput {
  readonly id: string;
  readonly alert: Alert;
  readonly desk: AnyActorRef;
}

/** The state of a new card, which nobody has seen yet. */
export function blankFacts(raisedAtMs: number): Omit<CardFacts, keyof Alert> {
  return {
    state: 'SENT',
    raisedAtMs,
    repeats: 0,
    deliveredAtMs: null,
    openedAtMs: null,
    acknowledgedAtMs: null,
    acknowledgedBy: null,
    settledAtMs: null,
    settledBecause: null,
    escalatedAtMs: null,
    escalation: null,
    problem: null,
  };
}

/**
 * The input of the delivery port. The port resolves when somebody can have seen the card and rejects when nobody can.
 */
export interface DeliveryInput extends Alert {
  readonly id: string;
  /** The whole card as lines of text, for channels that take only text. */
  readonly text: string;
  /** `all`: every channel there is, for an agent's failure and for escalated cards (CA-077). */
  readonly channels: 'all' | 'usual';
  /** Deliveries before this one. */
  readonly repeats: number;
  /** Why the card goes to the next person in line; null while it is not escalated. */
  readonly escalation: string | null;
}

/** A card in the desk's list. */
export interface CardFacts extends Pick<Alert, 'item' | 'kind' | 'priority' | 'title'> {
  readonly state: AlertState;
  readonly raisedAtMs: number;
  readonly repeats: number;
  readonly deliveredAtMs: number | null;
  readonly openedAtMs: number | null;
  readonly acknowledgedAtMs: number | null;
  readonly acknowledgedBy: string | null;
  /** The time at which the subject was settled; null unless that was before anybody acknowledged the card. */
  readonly settledAtMs: number | null;
  /** The reason why the subject is settled. */
  readonly settledBecause: string | null;
  readonly escalatedAtMs: number | null;
  /** Why the card was escalated; null if it was not. */
  readonly escalation: string | null;
  /** Why the last delivery, or the last button pressed, failed. */
  readonly problem: string | null;
}

interface Context extends Alert, CardFacts {
  readonly id: string;
  readonly desk: AnyActorRef;
}

/** Events from the desk to a card. */
export type CardEvent =
  | { readonly type: 'card.deliver' }
  | { readonly type: 'card.summarised' }
  | ({ readonly type: 'card.open' } & PassedOrder)
  | ({ readonly type: 'card.acknowledge'; readonly by: string | null } & PassedOrder)
  | ({ readonly type: 'card.choose'; readonly action: string; readonly by: string | null } & PassedOrder)
  | { readonly type: 'card.settle'; readonly because: string }
  | { readonly type: 'card.update'; readonly alert: Partial<Alert> };

/** Reports from a card to the desk. */
export type CardReport =
  | { readonly type: 'card.asked'; readonly id: string; readonly card: AnyActorRef }
  | { readonly type: 'card.changed'; readonly id: string; readonly facts: CardFacts };

type OwnEvent = CardEvent | { readonly type: 'card.arrived' | 'card.looked' | 'card.again' | 'card.insist' };

/** The longest wait for a delivery: a channel that does not answer must not keep a card from its next try. */
const DELIVERY_TIMEOUT_MS = 60_000;

const machine = setup({
  types: {} as { context: Context; events: OwnEvent; input: CardInput },
  actors: { deliver: fromPromise<unknown, DeliveryInput>(() => Promise.resolve(null)) },
  delays: { repeat: REPEAT_MS, patience: ({ context }) => PATIENCE_MS[context.priority]! },
  guards: {
    mayRepeat: ({ context: { priority, repeats, deliveredAtMs } }) =>
      mayRepeat({ priority, repeats, isDelivered: deliveredAtMs !== null }),
    isSaidOften: ({ context }) => context.repeats >= REPEATS_MAX,
    isNewsSaidOften: ({ context }) => context.delivery === 'only' && context.repeats >= REPEATS_MAX,
    isPatient: ({ context }) => PATIENCE_MS[context.priority] !== null && context.delivery !== 'only',
    isEscalated: ({ context }) => context.escalatedAtMs !== null,
    mayAcknowledge: ({ context, event }) =>
      event.type === 'card.acknowledge' && strangerTo(context, event) === undefined,
  },
  actions: {
    answer: inTurn((turn, event, reply: OrderReply) => answerOrder(turn, turn.context.id, event as PassedOrder, reply)),
    /**
     * Presses a button. A button whose desk is missing or does not take its order has no effect: the press is refused
     * and the card shows why.
     */
    choose: inTurn((turn, chosen) => {
      const { id, actions, mayAcknowledge = [ANYBODY] } = turn.context;
      const { action: name, by, ...order } = chosen as Extract<CardEvent, { type: 'card.choose' }>;
      const action = actions.find((known) => known.name === name);
      if (action === undefined) return answerOrder(turn, id, order, refused(`the card has no button "${name}"`));
      const { to, event, label } = action;
      const stranger = strangerProblem(mayAcknowledge, by);
      if (event === null || to === null) turn.raise({ type: 'card.looked' });
      else if (stranger !== undefined) return answerOrder(turn, id, order, refused(stranger));
      else {
        const problem = flawOfButton({ to, event, label }, turn.find(to));
        if (problem !== undefined) {
          turn.assign({ problem });
          return answerOrder(turn, id, order, refused(problem));
        }
        turn.send(to, event);
        turn.raise({ type: 'card.acknowledge', by });
      }
      answerOrder(turn, id, order, TAKEN);
    }),
    /** Delivers the card once more, if the alert that it joins says so. */
    sayAgain: inTurn((turn, event) => {
      if (event.type === 'card.update' && event.alert.delivery === 'again') turn.raise({ type: 'card.again' });
    }),
    /** Ends a card by which nobody has to act. */
    endNews: inTurn((turn, _, { because }: { readonly because: string }) => {
      if (turn.context.delivery === 'only') turn.raise({ type: 'card.settle', because });
    }),
    ask: sendTo(
      ({ context }) => context.desk,
      ({ context, self }): CardReport => ({ type: 'card.asked', id: context.id, card: self }),
    ),
    report: sendTo(
      ({ context }) => context.desk,
      ({ context }): CardReport => ({ type: 'card.changed', id: context.id, facts: factsOf(context) }),
    ),
    noteDelivered: assign(({ self }) => ({ state: 'DELIVERED', deliveredAtMs: timeOf(self), problem: null })),
    // A person who opens a card has been reached, even if the channel reported a failure.
    noteOpened: assign(({ context, self }) => ({
      state: 'OPENED',
      openedAtMs: timeOf(self),
      deliveredAtMs: context.deliveredAtMs ?? timeOf(self),
    })),
    noteAcknowledged: assign(({ event, self }) => ({
      state: 'ACKNOWLEDGED',
      acknowledgedAtMs: timeOf(self),
      acknowledgedBy: 'by' in event ? event.by : null,
    })),
    noteSettled: assign(({ event, self }) => ({
      state: 'SETTLED',
      settledAtMs: timeOf(self),
      settledBecause: 'because' in event ? event.because : null,
    })),
    escalate: assign(({ context, self }) => ({
      escalatedAtMs: timeOf(self),
      escalation:
        `${context.deliveredAtMs === null ? 'reached nobody' : 'nobody has acknowledged it'} for ` +
        `${Math.round((timeOf(self) - context.raisedAtMs) / 60_000)} minutes`,
    })),
  },
}).createMachine({
  id: 'alert-card',
  context: ({ input: { id, desk, alert }, self }) => ({
    ...alert,
    id,
    desk,
    ...blankFacts(timeOf(self)),
  }),
  initial: 'open',
  states: {
    open: {
      type: 'parallel',
      on: {
        'card.open': { actions: [{ type: 'answer', params: TAKEN }, raise({ type: 'card.looked' })] },
        'card.acknowledge': [
          { guard: 'mayAcknowledge', target: 'ACKNOWLEDGED', actions: { type: 'answer', params: TAKEN } },
          { actions: { type: 'answer', params: ({ context, event }) => refused(strangerTo(context, event)!) } },
        ],
        'card.settle': 'SETTLED',
        'card.choose': { actions: ['choose', 'report'] },
        'card.update': {
          actions: [
            assign(({ context, event }) => merged(context, event.alert)),
            raise({ type: 'card.insist' }),
            'sayAgain',
            'report',
          ],
        },
      },
      states: {
        reach: {
          initial: 'SENT',
          states: {
            SENT: { on: { 'card.arrived': 'DELIVERED', 'card.looked': 'OPENED' } },
            DELIVERED: {
              entry: ['noteDelivered', 'report', { type: 'endNews', params: { because: 'people were told' } }],
              on: { 'card.looked': 'OPENED' },
            },
            OPENED: { entry: ['noteOpened', 'report'] },
          },
        },
        delivery: {
          initial: 'asking',
          states: {
            asking: {
              entry: 'ask',
              on: {
                'card.deliver': 'delivering',
                'card.summarised': { target: 'resting', actions: raise({ type: 'card.arrived' }) },
                'card.again': { target: 'asking', reenter: true },
              },
            },
            delivering: {
              invoke: {
                src: 'deliver',
                input: ({ context }) => deliveryOf(context),
                onDone: { target: 'resting', actions: raise({ type: 'card.arrived' }) },
                onError: {
                  target: 'resting',
                  actions: [assign({ problem: ({ event }) => problemOf(event.error) }), 'report'],
                },
              },
            },
            resting: { on: { 'card.again': 'asking' } },
          },
        },
        insistence: {
          initial: 'waiting',
          states: {
            waiting: {
              always: [
                {
                  guard: 'isNewsSaidOften',
                  target: 'done',
                  actions: { type: 'endNews', params: { because: 'it reached nobody' } },
                },
                { guard: 'isSaidOften', target: 'done', actions: ['escalate', 'report'] },
              ],
              after: {
                repeat: [
                  {
                    guard: 'mayRepeat',
                    target: 'waiting',
                    reenter: true,
                    actions: [
                      assign({ repeats: ({ context }) => context.repeats + 1 }),
                      raise({ type: 'card.again' }),
                      'report',
                    ],
                  },
                  { target: 'done' },
                ],
              },
            },
            // An update may have raised the card's priority to that of an agent's failure.
            done: { on: { 'card.insist': { guard: 'mayRepeat', target: 'waiting' } } },
          },
        },
        patience: {
          initial: 'choosing',
          states: {
            choosing: { always: [{ guard: 'isPatient', target: 'counting' }, { target: 'done' }] },
            counting: {
              after: {
                patience: [
                  { guard: 'isEscalated', target: 'done' },
                  { target: 'done', actions: ['escalate', raise({ type: 'card.again' }), 'report'] },
                ],
              },
            },
            done: {},
          },
        },
      },
    },
    ACKNOWLEDGED: { type: 'final', entry: ['noteAcknowledged', 'report'] },
    SETTLED: { type: 'final', entry: ['noteSettled', 'report'] },
  },
});

/** The agent for alert cards; `deliver` is the host's channel, if it has one. */
export function alertCardAgent(deliver?: Port<DeliveryInput, unknown>) {
  const own = deliver === undefined ? machine : machine.provide({ actors: { deliver: portLogic(deliver) } });
  return defineAgent({
    name: 'alert-card',
    version: 2,
    // Version 1 knew no news. A card about which `delivery` says nothing is kept as it was.
    migrate: { 2: asBefore },
    machine: own,
    events: {},
    effects: { deliver: { timeoutMs: DELIVERY_TIMEOUT_MS } },
  });
}

/** The agent for alert cards without a channel: they reach only those who watch the desk. */
export const alertCard = alertCardAgent();

function deliveryOf(context: Context): DeliveryInput {
  const { id, item, kind, priority, title, detail, actions, data, repeats, escalation } = context;
  const channels = priority === 'AGENT_FAILURE' || escalation !== null ? 'all' : 'usual';
  return {
    id,
    item,
    kind,
    priority,
    title,
    detail,
    actions,
    data,
    repeats,
    escalation,
    channels,
    text: cardText(context),
  };
}

function factsOf(context: Context): CardFacts {
  const { id: _, desk: __, detail: ___, actions: ____, data: _____, mayAcknowledge: ______, ...facts } = context;
  return facts;
}

/** Why a button has no effect; undefined if it has one. */
function flawOfButton(
  { to, event, label }: { readonly to: string; readonly event: { readonly type: string }; readonly label: string },
  receiver: AnyActorRef | undefined,
): string | undefined {
  if (receiver === undefined) return `${label}: there is no actor "${to}"`;
  const takes = handledBy(receiver);
  return takes === undefined || isHandled(event.type, takes) ? undefined : `${label}: "${to}" takes no ${event.type}`;
}

function strangerTo({ mayAcknowledge = [ANYBODY] }: Alert, { by }: { readonly by: string | null }): string | undefined {
  return strangerProblem(mayAcknowledge, by);
}

function problemOf(error: unknown): string {
  return `not delivered: ${messageOf(error)}`.slice(0, 500);
}
