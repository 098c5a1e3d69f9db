/** The door of tools at the call desk of this gateway: with the rights, rates and costs of its caller. */
import { type CallDesk } from '../calls/call-desk.ts';
import { valueOf } from '../calls/json-answer.ts';
import { type MethodTable } from '../calls/method-table.ts';
import { type Repeatable } from '../calls/repeats.ts';
import { rowsFor } from '../calls/resource-row.ts';
import { type Caller } from '../callers/callers.ts';
import { rateLimited } from '../callers/wire-errors.ts';
import { type WireError } from '../protocol/frames.ts';
import { type ToolCall, type ToolDoor } from './tool-door.ts';

/** The parts of the gateway that an MCP session uses. */
export interface DeskDoorHost {
  readonly methods: MethodTable;
  readonly desk: CallDesk;
  /** Takes a call from the rate of a caller. Returns 0, or the ms after which the caller may call again. */
  takeCall(caller: Caller, nowMs: number): number;
  /** Takes a call from the rates of tools. Throws BOSUN_RATE_LIMITED. */
  takeToolCall(caller: Caller): void;
  readonly clock: { monotonicMs(): number };
  /** Counts an error as a refusal, and returns it as its client sees it. */
  counted(error: unknown): WireError;
}

/**
 * Makes the tools of one caller, who is a coding agent unless it is a person or the operator.
 *
 * @param paid Calls that the transport has already taken from the rate.
 */
export function deskDoor(host: DeskDoorHost, caller: Caller, paid = 1): ToolDoor {
  let left = paid;
  return {
    agent: caller.person ?? caller.id,
    scopes: caller.scopes,
    isPerson: caller.isAgent !== true,
    isGranted: caller.methods !== undefined,
    rows: () => rowsFor(caller, host.methods),
    told: (error) => host.counted(error),
    call(method, params, { key, timeoutMs: deadlineMs, signal }: ToolCall) {
      const retryAfterMs = left-- > 0 ? 0 : host.takeCall(caller, host.clock.monotonicMs());
      if (retryAfterMs > 0) throw rateLimited('too many calls', retryAfterMs);
      host.takeToolCall(caller);
      return new Promise((resolve, reject) => {
        const told = { answered: ({ result }: Repeatable<unknown>) => resolve(valueOf(result)), refused: reject };
        const call = host.desk.take({ caller, method, params, key, deadlineMs }, told);
        if (signal.aborted) call.cancel();
        else signal.addEventListener('abort', () => call.cancel(), { once: true });
      });
    },
  };
}
