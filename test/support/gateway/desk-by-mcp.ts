/** An answer desk behind a gateway on virtual time, for clients of MCP; on request with a delivery organisation. */
import { onTestFinished } from 'vitest';
import { answerCrew, answerProcedures, type AnswerPorts, ticketProcedures } from 'bosun/crew';
import { type Procedures } from '../../../src/actors/api/procedure.ts';
import { createGateway, type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { type DeliveryOptions } from '../../../src/machines/delivery/crew.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { evidenceFor, PORT_QUESTION } from '../machines/answer-room.ts';
import { type Era, type McpClient, overHttp } from './mcp-clients.ts';

/** Rates that no test reaches. On virtual time all calls are calls of one second. */
export const MANY_CALLS = { perSecond: 1_000_000, perMinute: 1_000_000, allPerMinute: 1_000_000 };

export const DESK_TOKENS = [
  { id: 'coder', token: 'a-long-random-secret-of-the-coder' },
  { id: 'phone', token: 'a-long-random-secret-of-the-phone', person: 'ada' },
  { id: 'reader', token: 'a-long-random-secret-of-a-reader', scopes: ['actor:read'] as const },
];

/** An agent that calls HTTP itself. */
export const AGENT_TOKEN = { id: 'bot', token: 'a-long-random-secret-of-an-agent', isAgent: true } as const;

/** Finds evidence for one question alone. */
const retrieve: AnswerPorts['retrieve'] = ({ question }) =>
  Promise.resolve({ evidence: question === PORT_QUESTION ? [evidenceFor('north')] : [], complete: true });

export interface DeskByMcp {
  readonly test: TestSystem;
  readonly url: string;
  /** A client of the agent or person with a token. `profile`: the set of tools that it lists. */
  client(era: Era, id?: string, profile?: string): Promise<McpClient>;
  /** Calls a procedure by POST with the token of an id; default: a program's. Its result, or its error. */
  order(procedure: string, params: object, id?: string): Promise<Record<string, unknown>>;
  /** Advances the time until a call is answered, and says after how many seconds that was. */
  answered<Answer>(call: Promise<Answer>): Promise<{ readonly answer: Answer; readonly seconds: number }>;
}

export interface DeskByMcpOptions extends GatewayOptions {
  /** Default: a search that finds evidence for one question. */
  readonly ports?: Partial<AnswerPorts>;
  /** Default: no delivery organisation. */
  readonly delivery?: DeliveryOptions;
}

/** Starts the desk; it ends with the test. */
export async function deskByMcp(
  more: Procedures = {},
  { ports, delivery, ...options }: DeskByMcpOptions = {},
): Promise<DeskByMcp> {
  const test = await startTestSystem(
    answerCrew({ ports: { retrieve, ...ports }, ...(delivery !== undefined && { delivery }) }),
  );
  const procedures: Procedures = { ...ticketProcedures, ...answerProcedures, ...more };
  const gateway = createGateway(test.system, {
    ...{ port: 0, procedures, tokens: DESK_TOKENS, clock: test.clock, mcpRate: MANY_CALLS },
    ...options,
  });
  const { url } = await gateway.listen();
  onTestFinished(async () => {
    await gateway.close();
    await test.system.stop();
  });
  return {
    test,
    url,
    client(era, id = 'coder', profile) {
      const query = profile === undefined ? '' : `?profile=${profile}`;
      return overHttp(era, `${url}/mcp${query}`, tokenOf(id));
    },
    async order(procedure, params, id = 'coder') {
      const { path = `/v1/procedures/${procedure}` } = procedures[procedure]?.http ?? {};
      const asked = fetch(`${url}${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${tokenOf(id)}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(params),
      }).then((response) => response.json());
      return (await answered(asked)).answer as Record<string, unknown>;
    },
    answered,
  };

  function tokenOf(id: string): string {
    return (options.tokens ?? DESK_TOKENS).find((one) => one.id === id)!.token;
  }

  async function answered<Answer>(call: Promise<Answer>) {
    let isAnswered = false;
    const over = () => (isAnswered = true);
    call.then(over, over);
    // A request is at the gateway when one that came later has been answered.
    await fetch(`${url}/healthz`).then((response) => response.text());
    let seconds = 0;
    for (; !isAnswered && seconds < 60; seconds++) {
      await test.clock.advance(1_000, () => test.settle());
      await fetch(`${url}/healthz`).then((response) => response.text());
    }
    return { answer: await call, seconds };
  }
}
