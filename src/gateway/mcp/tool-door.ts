/**
 * The way from a server of MCP to a system: what its caller sees there, and the calls that carry it out. In the gateway
 * it leads to the call desk (desk-door.ts), on stdio over HTTP to a gateway (cli/mcp). Types only.
 */
import { type WireError } from '../protocol/frames.ts';
import { type McpRows } from '../calls/resource-row.ts';
import { type ToolReader } from '../calls/tool-row.ts';

/** The options of one call of a method. */
export interface ToolCall {
  /** The idempotency key: a repeat with the same key takes effect once. Undefined for none. */
  readonly key: string | undefined;
  /** Milliseconds until BOSUN_TIMEOUT. */
  readonly timeoutMs: number;
  /** Aborted when the answer is no longer awaited. */
  readonly signal: AbortSignal;
}

export interface ToolDoor extends ToolReader {
  /** The name of the caller, as errors state it. */
  readonly agent: string;
  /** Whether the token of the caller names its methods; undefined if only the gateway knows. */
  readonly isGranted: boolean | undefined;
  /**
   * The tools of the system, the most useful first, its resources and its prompts, as far as they exist for the caller:
   * including those that its scopes do not allow.
   *
   * @param timeoutMs How long to wait for a system that has not started. Default: 10 s.
   */
  rows(timeoutMs?: number): McpRows | Promise<McpRows>;
  /** Calls a method or procedure with the rights of the caller. Rejects with an error that `told` can convert. */
  call(method: string, params: Readonly<Record<string, unknown>>, how: ToolCall): Promise<unknown>;
  /** Converts an error to the form that the caller may see. */
  told(error: unknown): WireError;
}
