/**
 * Checks whether a running server implements the gateway's protocol: runs a table of rows against it, over its socket
 * and HTTP, and reports whether each holds. It uses only what the server offers any client; rows about state need the
 * agent of probe.ts, start actors of their own and end them. It changes nothing else.
 */
import { type Clock, systemClock } from '../../clock.ts';
import { BosunError, messageOf } from '../../errors.ts';
import { SOCKET_PATH, SUBPROTOCOL } from '../../gateway/protocol/protocol.ts';
import { type Rate, TokenBucket } from '../../gateway/protocol/token-bucket.ts';
import { CALLS_BURST, CALLS_PER_SECOND } from '../../limits.ts';
import { FRAME_ROWS } from './frame-rows.ts';
import { Deviation, type Frame } from './peer.ts';
import { conformanceProbe } from './probe.ts';
import { type Need, type Row, Stage } from './stage.ts';
import { STORIES } from './stories.ts';

/** Options of `gatewayConformance`: the rules to check, and how long to wait for each. */
export interface ConformanceOptions {
  readonly token?: string | undefined;
  /** Rules to check. Default: all. */
  readonly only?: readonly string[];
  /** Milliseconds for which a row waits for an expected frame. Default 5,000. */
  readonly patienceMs?: number;
  /** Called with each row's result. */
  readonly onRow?: (result: RowResult, done: number, of: number) => void;
}

export interface RowResult {
  readonly rule: string;
  readonly outcome: 'passed' | 'failed' | 'not applicable';
  /** The fault, or the reason why the row was skipped; null if it passed. */
  readonly reason: string | null;
}

/** The report of a conformance check: the result of each rule. */
export interface ConformanceReport {
  readonly passed: number;
  readonly failed: number;
  readonly notApplicable: number;
  readonly rows: readonly RowResult[];
}

const TABLE: readonly Row[] = [...FRAME_ROWS, ...STORIES];
const PATIENCE_MS = 5_000;

/** Share of the server's permitted rate that a run uses, so that rate limits do not disturb it. */
const SHARE = 0.8;

/**
 * Checks a running server against the rules of the gateway's protocol.
 *
 * @param url `http://127.0.0.1:4180`; also with ws, and with the path of a gateway that has one. Rejects with
 * BOSUN_CONFIG_INVALID for an invalid URL, BOSUN_OFFLINE if no server answers, BOSUN_UNAUTHENTICATED if the token is
 * missing or refused, and BOSUN_INTERNAL if the server is not a gateway.
 */
export async function gatewayConformance(
  url: string,
  { token, only, patienceMs = PATIENCE_MS, onRow = () => {} }: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const pace = new ServerPace(systemClock);
  const parts = {
    url: baseOf(url),
    token,
    subprotocol: SUBPROTOCOL,
    clock: systemClock,
    patienceMs,
    pace: () => pace.take(),
  };
  const lacks = await lookAround(new Stage({ ...parts, name: 'conformance' }), pace);
  const rows: RowResult[] = [];
  const run = crypto.randomUUID().slice(0, 8);
  const table = only === undefined ? TABLE : TABLE.filter(({ rule }) => only.includes(rule));
  for (const [index, row] of table.entries()) {
    const stage = new Stage({ ...parts, name: `conformance-${run}-${index}` });
    const result = await played(row, stage, lacks[row.needs]);
    rows.push(result);
    onRow(result, rows.length, table.length);
  }
  const of = (outcome: RowResult['outcome']) => rows.filter((row) => row.outcome === outcome).length;
  return { passed: of('passed'), failed: of('failed'), notApplicable: of('not applicable'), rows };
}

async function played({ rule, play }: Row, stage: Stage, lack: string | undefined): Promise<RowResult> {
  if (lack !== undefined) return { rule, outcome: 'not applicable', reason: lack };
  try {
    await play(stage);
    return { rule, outcome: 'passed', reason: null };
  } catch (error) {
    if (!(error instanceof Deviation)) throw error;
    return { rule, outcome: 'failed', reason: error.message };
  } finally {
    // A failed clean-up is not what the row tests.
    await stage.clear().catch(() => {});
  }
}

/** Finds the needs of rows that the server does not meet, with reasons, and sets the permitted rate. */
async function lookAround(stage: Stage, pace: ServerPace): Promise<Readonly<Record<Need, string | undefined>>> {
  try {
    const peer = await stage.open({ hello: false }).catch((error: unknown) => {
      throw new BosunError('BOSUN_OFFLINE', `no server speaks the protocol at ${stage.url}: ${messageOf(error)}`, {
        cause: error,
      });
    });
    await peer.send({ t: 'hello', v: 1, client: { name: 'conformance' } });
    const welcome = await peer.next(({ t }) => t === 'welcome' || t === 'err', 'welcome');
    if (welcome.t === 'err')
      throw new BosunError(
        welcome.e?.code === 'BOSUN_UNAUTHENTICATED' ? 'BOSUN_UNAUTHENTICATED' : 'BOSUN_INTERNAL',
        `the server answers hello with ${JSON.stringify(welcome.e)}`,
      );
    pace.allow(welcome);
    const agents = await peer.call('agents', 'agent.list');
    const { scopes = [] } = (welcome['principal'] ?? {}) as { scopes?: readonly string[] };
    const strange = await stage.http('/v1/tree', { token: null });
    return {
      nothing: undefined,
      probe: lackOfProbe(agents, scopes),
      tokens: strange.status === 401 ? undefined : 'the server asks for no token',
    };
  } catch (error) {
    if (error instanceof Deviation)
      throw new BosunError('BOSUN_INTERNAL', `the server at ${stage.url} is not a gateway: ${error.message}`, {
        cause: error,
      });
    throw error;
  } finally {
    await stage.clear();
  }
}

function lackOfProbe(answer: Frame, scopes: readonly string[]): string | undefined {
  const missing = ['actor:read', 'actor:send', 'actor:admin', 'system:read'].filter((scope) => !scopes.includes(scope));
  if (missing.length > 0) return `the token lacks ${missing.join(', ')}`;
  const { agents = [] } = (answer.r ?? {}) as { agents?: readonly { name?: string }[] };
  return agents.some(({ name }) => name === conformanceProbe.name)
    ? undefined
    : `the server has no agent ${conformanceProbe.name} (conformanceProbe of bosun/testing)`;
}

/** Keeps the rate of frames below the rate that `welcome` states. */
class ServerPace {
  readonly #clock: Clock;
  #bucket: TokenBucket;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#bucket = this.#bucketOf(CALLS_BURST, CALLS_PER_SECOND);
  }

  allow({ limits }: Frame): void {
    const { burst = CALLS_BURST, perSecond = CALLS_PER_SECOND } = (limits ?? {}) as Partial<Rate>;
    this.#bucket = this.#bucketOf(burst, perSecond);
  }

  async take(): Promise<void> {
    for (let waitMs = this.#wait(); waitMs > 0; waitMs = this.#wait()) {
      const pauseMs = waitMs;
      await new Promise<void>((resolve) => void this.#clock.setTimeout(resolve, pauseMs));
    }
  }

  #wait(): number {
    return this.#bucket.take(this.#clock.monotonicMs());
  }

  #bucketOf(burst: number, perSecond: number): TokenBucket {
    return new TokenBucket({ burst: burst * SHARE, perSecond: perSecond * SHARE }, this.#clock.monotonicMs());
  }
}

/** The URL of the gateway, also if that of its socket is given. It has no slash at its end. */
function baseOf(url: string): string {
  const given = /^[a-z]+:\/\//i.test(url) ? url : `http://${url}`;
  if (URL.canParse(given)) {
    const { protocol, host, pathname, username, password } = new URL(given);
    const path = pathname.replace(/\/+$/, '');
    const base = path.endsWith(SOCKET_PATH) ? path.slice(0, -SOCKET_PATH.length) : path;
    if (['http:', 'https:', 'ws:', 'wss:'].includes(protocol) && host !== '' && `${username}${password}` === '')
      return `${protocol.replace('ws', 'http')}//${host}${base}`;
  }
  throw new BosunError('BOSUN_CONFIG_INVALID', `${url} is not the address of a gateway such as http://127.0.0.1:4180`);
}
