/**
 * The door of tools over a gateway that may end: a call that found it gone is made again at the next one where that is
 * safe: where it was never sent, where it only reads, and where the store remembers its key, so that it counts once. No
 * call reaches more gateways than the policy of its tool has attempts (gateway/mcp/retry-policy.ts).
 */
import { randomUUID } from 'node:crypto';
import { PROGRAM_SCOPES } from '../../actors/api/procedure.ts';
import { systemClock } from '../../clock.ts';
import { ERROR_CODES } from '../../error-codes.ts';
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { type WireError } from '../../gateway/protocol/frames.ts';
import { policyFor } from '../../gateway/mcp/retry-policy.ts';
import { type ToolCall, type ToolDoor } from '../../gateway/mcp/tool-door.ts';
import { type LiveGateway, type OfferedRows } from '../reach/live-gateway.ts';
import { type SharedSystem } from './shared-system.ts';

/** Milliseconds to wait for a gateway that offers tools. Hosts wait about as long for the list. */
const TOOLS_MS = 10_000;

/** Milliseconds before a call is repeated. */
const AGAIN_MS = 50;

export interface LiveDoorOptions {
  /** The name of the caller, as errors state it. */
  readonly agent: string;
  /** Whether the caller may speak as a person, as the operator may. At a remote gateway, the token decides. */
  readonly isPerson: boolean;
  /** Whether the caller is a program of the operator, whose scopes are known. */
  readonly isProgram: boolean;
  /** Called with internal failures. */
  readonly log: (text: string) => void;
}

/** A call of a gateway, and whether and until when it is repeated at the next one. */
interface Repeated<Result> {
  readonly work: (gateway: LiveGateway, rows: OfferedRows) => Promise<Result>;
  readonly isRepeatable: (rows: OfferedRows) => boolean;
  /** Most calls that may reach a gateway. One that was never sent does not count. */
  readonly attemptsMax: (rows: OfferedRows) => number;
  readonly untilMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Makes the source of tools.
 *
 * @param found Resolves to the system, whose code is loaded meanwhile.
 */
export function liveDoor(
  found: Promise<Pick<SharedSystem, 'gateway' | 'lost'>>,
  { agent, isPerson, isProgram, log }: LiveDoorOptions,
): ToolDoor {
  const at = workAt(found);
  return {
    agent,
    scopes: isProgram ? new Set(PROGRAM_SCOPES) : undefined,
    isPerson,
    isGranted: isProgram ? false : undefined,
    told: (error) => told(error, log),
    rows: (timeoutMs = TOOLS_MS) =>
      at({
        untilMs: systemClock.monotonicMs() + timeoutMs,
        isRepeatable: () => true,
        attemptsMax: () => Infinity,
        work: (_, rows) => Promise.resolve(rows),
      }),
    call(method, params, { key: given, timeoutMs, signal }: ToolCall) {
      const untilMs = systemClock.monotonicMs() + timeoutMs;
      const rowIn = ({ tools, resources }: OfferedRows) =>
        tools.find((row) => row.method === method) ?? resources.find((row) => row.method === method);
      const key = given ?? randomUUID();
      const isRepeatable = (rows: OfferedRows) => {
        const row = rowIn(rows);
        return row === undefined || row.does === 'nothing' || ('keepsKeys' in row && row.keepsKeys);
      };
      const work = (gateway: LiveGateway, rows: OfferedRows) => {
        const row = rowIn(rows);
        if (row === undefined)
          throw new BosunError('BOSUN_CALL_INVALID', `the system at ${gateway.url} offers no ${method}`);
        const deadlineMs = Math.max(1, Math.ceil(untilMs - systemClock.monotonicMs()));
        return gateway.callOffered(row, params, { deadlineMs, signal, ...(row.does !== 'nothing' && { key }) });
      };
      const attemptsMax = (rows: OfferedRows) =>
        policyFor(
          rows.tools.find((row) => row.method === method),
          params,
        ).attemptsMax;
      return at({ untilMs, isRepeatable, attemptsMax, work, signal });
    },
  };
}

/** Makes a function that calls the system's gateway, and the next one if the first has gone. */
function workAt(found: Promise<Pick<SharedSystem, 'gateway' | 'lost'>>) {
  const offers = new WeakMap<LiveGateway, Promise<OfferedRows>>();
  const offered = (gateway: LiveGateway) => {
    let rows = offers.get(gateway);
    if (rows === undefined) offers.set(gateway, (rows = gateway.rows()));
    return rows;
  };
  return async <Result>({ work, isRepeatable, attemptsMax, untilMs, signal }: Repeated<Result>): Promise<Result> => {
    const shared = await found;
    for (let attempts = 0; ; ) {
      let gateway: LiveGateway | undefined;
      let rows: OfferedRows | undefined;
      try {
        gateway = await shared.gateway();
        rows = await offered(gateway);
        return await work(gateway, rows);
      } catch (error) {
        // A call that its caller has given up fails as if the gateway were gone, and says nothing about it.
        if (signal?.aborted === true || !isGone(error)) throw error;
        if (gateway !== undefined) {
          if (rows === undefined) offers.delete(gateway);
          await shared.lost(gateway);
        }
        const isSafe =
          rows === undefined || wasNotSent(error) || (isRepeatable(rows) && ++attempts < attemptsMax(rows));
        if (systemClock.monotonicMs() >= untilMs || !isSafe) throw error;
        await new Promise<void>((resolve) => void systemClock.setTimeout(resolve, AGAIN_MS));
      }
    }
  };
}

/** Whether an error says that the gateway has gone or is closing. */
function isGone(error: unknown): boolean {
  return isBosunError(error, 'BOSUN_SYSTEM_CLOSED') || isBosunError(error, 'BOSUN_DRAINING');
}

/** Whether the gateway has not begun the call: it refused the call, or no connection was established. */
function wasNotSent(error: unknown): boolean {
  if (isBosunError(error, 'BOSUN_DRAINING')) return true;
  const { cause } = ((error as Error).cause ?? {}) as { readonly cause?: { readonly code?: unknown } };
  return cause?.code === 'ECONNREFUSED';
}

/** The error as the gateway reported it, or as this process found it. Details of internal errors go to the log only. */
function told(error: unknown, log: LiveDoorOptions['log']): WireError {
  if (!isBosunError(error)) {
    log(`a tool failed: ${messageOf(error)}`);
    return { code: 'BOSUN_INTERNAL', message: ERROR_CODES.BOSUN_INTERNAL.means, retryable: false };
  }
  const { code, message, retryable, details } = error;
  return { code, message, retryable, ...(Object.keys(details).length > 0 && { details }) };
}
