/** The environment of a conformance row: connections, requests and probes of its own, and checks. */
import { SOCKET_PATH } from '../../gateway/protocol/protocol.ts';
import { Deviation, Peer, type PeerOptions } from './peer.ts';
import { conformanceProbe } from './probe.ts';

/**
 * The requirements of a row beyond the protocol. `probe`: the agent of probe.ts, and the right to start it. `tokens`: a
 * server that requires them.
 */
export type Need = 'nothing' | 'probe' | 'tokens';

export interface Row {
  /** The rule as a sentence. */
  readonly rule: string;
  readonly needs: Need;
  /** Plays the rule. Throws {@link Deviation} if the server violates it. */
  play(stage: Stage): Promise<void>;
}

/** The server's URL, `http://host:port` without a path, and defaults for connections. */
export interface StageParts extends PeerOptions {
  /** The name of the row, unique among all runs. */
  readonly name: string;
}

interface OpenOptions {
  /** Extra fields of `hello`; false to send no `hello`. Default: only the required fields. */
  readonly hello?: object | false;
  readonly subprotocol?: string;
  /** The token of the connection; `null` for none. Default: the token of the run. */
  readonly token?: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
}

export class Stage {
  readonly #parts: StageParts;
  readonly #peers: Peer[] = [];
  readonly #probes: string[] = [];
  /** The connection for calls that are not part of the row. */
  #ownPeer: Promise<Peer> | undefined;

  constructor(parts: StageParts) {
    this.#parts = parts;
  }

  get url(): string {
    return this.#parts.url;
  }

  /** Opens a connection, and waits for `welcome` unless `hello` is false. */
  async open({
    hello = {},
    subprotocol = this.#parts.subprotocol,
    token = this.#parts.token ?? null,
  }: OpenOptions = {}): Promise<Peer> {
    const url = `${this.url.replace(/^http/, 'ws')}${SOCKET_PATH}`;
    const peer = new Peer({ ...this.#parts, url, token: token ?? undefined, subprotocol });
    this.#peers.push(peer);
    await peer.opened();
    if (hello === false) return peer;
    await peer.send({ t: 'hello', v: 1, client: { name: 'conformance' }, ...hello });
    await peer.next(({ t }) => t === 'welcome', 'welcome');
    return peer;
  }

  /** The address of a new actor that only this row uses. */
  async probe(): Promise<string> {
    const id = `${this.#parts.name}-${this.#probes.length}`;
    const answer = await (await this.#own()).call(`spawn-${id}`, 'actor.spawn', { agent: conformanceProbe.name, id });
    if (answer.ok !== true) throw new Deviation(`the probe could not be started: ${JSON.stringify(answer.e)}`);
    this.#probes.push(id);
    return id;
  }

  /** Sends a request. Rejects with Deviation if no server answers. */
  async http(
    path: string,
    {
      headers = {},
      token = this.#parts.token ?? null,
      ...init
    }: RequestInit & { readonly headers?: Record<string, string>; readonly token?: string | null } = {},
  ): Promise<Answer> {
    await this.#parts.pace();
    const bearer: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` };
    try {
      const response = await fetch(`${this.url}${path}`, {
        redirect: 'manual',
        ...init,
        headers: { ...bearer, ...headers },
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: jsonIn(text) };
    } catch (error) {
      throw new Deviation(`${path} was not answered: ${String(error)}`);
    }
  }

  post(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    return this.http(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  /** The first blocks of a stream of server-sent events, as text. */
  async stream(path: string, blocks: number, headers: Record<string, string> = {}): Promise<string[]> {
    const { token, clock, patienceMs } = this.#parts;
    const abort = new AbortController();
    const cancel = clock.setTimeout(() => abort.abort(), patienceMs);
    try {
      const response = await fetch(`${this.url}${path}`, {
        signal: abort.signal,
        headers: { ...(token !== undefined && { Authorization: `Bearer ${token}` }), ...headers },
      });
      const decoder = new TextDecoder();
      let text = '';
      for await (const chunk of (response.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(chunk, { stream: true });
        if (text.split('\n\n').length > blocks) break;
      }
      return text.split('\n\n').slice(0, blocks);
    } catch (error) {
      throw new Deviation(`${path} did not stream ${blocks} events: ${String(error)}`);
    } finally {
      cancel();
      abort.abort();
    }
  }

  /** Closes every connection that the row has opened, and stops every actor that it has started. */
  async clear(): Promise<void> {
    for (const id of this.#probes.splice(0))
      await (await this.#own()).call(`end-${id}`, 'actor.send', { address: id, event: { type: 'end' } });
    for (const peer of this.#peers.splice(0)) peer.leave();
    this.#ownPeer = undefined;
  }

  #own(): Promise<Peer> {
    return (this.#ownPeer ??= this.open());
  }
}

export function check(isSo: boolean, what: () => string): asserts isSo {
  if (!isSo) throw new Deviation(what());
}

/** Waits until the server has closed the connection, and checks the code. */
export async function checkClosed(peer: Peer, wanted: number): Promise<void> {
  const code = await peer.end();
  check(code === wanted, () => `the connection was closed with ${code}, and not ${wanted}`);
}

/** Whether `found` has every field of `wanted` with the same value. Lists must have equal lengths. */
export function fits(found: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return Object.is(found, wanted);
  if (typeof found !== 'object' || found === null || Array.isArray(found) !== Array.isArray(wanted)) return false;
  if (Array.isArray(wanted))
    return (
      wanted.length === (found as unknown[]).length &&
      wanted.every((item, index) => fits((found as unknown[])[index], item))
    );
  return Object.entries(wanted).every(([key, value]) => fits((found as Record<string, unknown>)[key], value));
}

export function checkFits(found: unknown, wanted: unknown): void {
  check(fits(found, wanted), () => `${JSON.stringify(found)?.slice(0, 500)} came, and not ${JSON.stringify(wanted)}`);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
