/**
 * Many events sent in one call. In front of one system or of several workers, each is held against the caller's rate
 * and its room as a call of its own; beside a system, each is checked and delivered as a send of its own.
 */
import { type EventObject } from 'xstate';
import { z } from 'zod';
import { refusalOf, refusalsOf, throwRefused } from '../../actors/api/refused-sends.ts';
import { type SendRefusal } from '../../actors/world/mailbox/inbound.ts';
import { BosunError } from '../../errors.ts';
import { type Caller } from '../callers/callers.ts';
import { SENDS_PER_CALL_MAX } from '../limits.ts';
import { type CallParts, type FrontParts } from './call-parts.ts';
import { type Call, Marked, reach } from './call.ts';
import { address, event } from './method-shapes.ts';
import { keyAt } from './repeats.ts';
import { spokenBy } from './spoken-by.ts';

/** The parameters of `actor.sendMany`. */
export const manySends = z.object({ sends: z.array(z.object({ address, event })).max(SENDS_PER_CALL_MAX) });

type ManySends = z.output<typeof manySends>;
type Sends = ManySends['sends'];

/** Sends the events; those that exceed the caller's rate or number of open calls are refused. */
export async function sendGranted(parts: FrontParts, { sends }: ManySends, call: Call): Promise<unknown> {
  const { granted, refusal } = grantedOf(parts, sends, call);
  const indexes = sends.map((_, index) => index);
  const sent = Promise.resolve(parts.backend['actor.sendMany']({ sends: sends.slice(0, granted) }, call));
  const refused = await refusalsOf(sent, indexes.slice(0, granted));
  parts.underWay.leave(call.caller, Math.max(0, granted - 1));
  throwRefused(sends.length, [...refused, ...indexes.slice(granted).map((index) => refusalOf(refusal, index))]);
  return sent;
}

/**
 * The number of events that may be sent, and the reason for refusing the rest. The call itself has paid for the first
 * event.
 */
function grantedOf(
  { underWay, takeCall }: FrontParts,
  sends: Sends,
  { caller }: Call,
): { readonly granted: number; readonly refusal?: unknown } {
  for (let index = 1; index < sends.length; index++) {
    const retryAfterMs = takeCall(caller);
    if (retryAfterMs > 0)
      return {
        granted: index,
        refusal: new BosunError('BOSUN_RATE_LIMITED', 'too many calls', { details: { retryAfterMs } }),
      };
    try {
      underWay.enter(caller);
    } catch (refusal) {
      return { granted: index, refusal };
    }
  }
  return { granted: sends.length };
}

type DeliveryParts = Pick<CallParts, 'system' | 'repeats'>;

/** Delivers many events to one system. Rejects with BOSUN_SENDS_REFUSED once those accepted are durable. */
export function deliverTogether(parts: DeliveryParts, { sends }: ManySends, { caller, key }: Call): Promise<unknown> {
  return key === undefined ? deliverAll(parts, sends, caller) : deliverOnce(parts, sends, caller, key);
}

async function deliverAll({ system: { clientApi } }: DeliveryParts, sends: Sends, caller: Caller): Promise<unknown> {
  const refused: SendRefusal[] = [];
  const indexes: number[] = [];
  const reachable = sends.flatMap(({ address, event }, index) => {
    try {
      const to = reach(caller, address);
      const request = { to, event: spokenBy(caller, event as EventObject, () => clientApi.agentAt(to)) };
      indexes.push(index);
      return [request];
    } catch (error) {
      refused.push(refusalOf(error, index));
      return [];
    }
  });
  throwRefused(sends.length, [...refused, ...(await refusalsOf(clientApi.deliverMany(reachable), indexes))]);
  return {};
}

/** Delivers each event once, identified by the key and its index, so that a repeat sends exactly the refused ones. */
async function deliverOnce(
  { system: { clientApi }, repeats }: DeliveryParts,
  sends: Sends,
  caller: Caller,
  key: string,
): Promise<unknown> {
  const sent = sends.map(async ({ address, event }, index) => {
    reach(caller, address);
    const said = spokenBy(caller, event as EventObject, () => clientApi.agentAt(address));
    return await repeats.keyedSend(caller, keyAt(key, index), ['actor.send', address, event], (session) =>
      clientApi.deliver(address, said, { session }),
    );
  });
  const refused = await Promise.all(sent.map((one, index) => refusalsOf(one, [index])));
  throwRefused(sends.length, refused.flat());
  const done = await Promise.all(sent);
  return new Marked({ result: {}, replayed: done.length > 0 && done.every(({ replayed }) => replayed) });
}
