/**
 * Hub and spokes behind a gateway: the real crew, whose sessions are done by the holders of their tokens, and its doors
 * for each of them: an event to the actor of a session, its token over HTTP, and its token over MCP.
 */
import { expect } from 'vitest';
import { hubCrew, type HubCrewOptions, hubProcedures } from '../../../src/crew-hub.ts';
import { sessionProcedures } from '../../../src/crew-hub-sessions.ts';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { type LineageEntry } from '../../../src/machines/hub/handoff.ts';
import { type SessionEntry } from '../../../src/machines/hub/session-records.ts';
import { type PlanLogEntry } from '../../../src/machines/hub/plan-log.ts';
import { type Role, ROLES } from '../../../src/machines/hub/roles.ts';
import { memoryStore } from '../../../src/persistence/store/memory-store.ts';
import { createSystem, type System } from '../../../src/system.ts';
import { type McpClient, overHttp, toldBy } from '../gateway/mcp-clients.ts';
import { showsBy } from '../shown-by.ts';

const KEY = new TextEncoder().encode('the key of session tokens, 32 bytes and more');
const MANY = { perSecond: 100_000, perMinute: 100_000, allPerMinute: 100_000 };

/** How often a poll looks. */
export const SOON = { interval: 2, timeout: 20_000 };

/** An answer or an error, as a door gives it. */
export type Answer = Record<string, unknown> & { readonly error?: { readonly code: string; readonly message: string } };

/** A session with its doors. */
export interface Seat {
  readonly session: string;
  readonly role: Role;
  readonly token: string;
  /** Sends an event to the actor of the session, as its host may. */
  order(event: object): Promise<Answer>;
  /** Calls a procedure over HTTP with the token of the session. */
  post(method: string, params: object): Promise<Answer>;
  /** A client of MCP with the token of the session. */
  mcp(): Promise<McpClient>;
  /** Calls a tool over MCP with the token of the session. */
  tool(name: string, args?: object): Promise<Answer>;
}

/** The agents of a run in which every role is done by the holder of its token. */
export const OUTSIDE: Readonly<Record<string, object>> = {
  ...Object.fromEntries(ROLES.map((role) => [role, { does: { kind: 'outside' } }])),
  // A Worker does not begin without a scope. An empty one keeps nobody out of the lane.
  Worker: { does: { kind: 'outside' }, writes: { files: [], newIn: [] }, isIsolated: true },
};

export class HubDoors {
  readonly system: System;
  readonly gateway: Gateway;
  readonly url: string;
  readonly #clients = new Map<string, McpClient>();

  private constructor(system: System, gateway: Gateway, url: string) {
    this.system = system;
    this.gateway = gateway;
    this.url = url;
  }

  static async open(options: HubCrewOptions = {}, store = memoryStore()): Promise<HubDoors> {
    showsBy('gateway');
    const system = await createSystem({ ...hubCrew(options), store }).start();
    const procedures = { ...hubProcedures, ...sessionProcedures(KEY) };
    const rate = { burst: 100_000, perSecond: 100_000 };
    const gateway = createGateway(system, { port: 0, procedures, grantKey: KEY, mcpRate: MANY, rate });
    const { url } = await gateway.listen();
    return new HubDoors(system, gateway, url);
  }

  async close(): Promise<void> {
    for (const client of this.#clients.values()) await client.close();
    await this.gateway.close();
    await this.system.stop();
  }

  /** Starts a run in which a role decides by its token, and returns its first session. */
  async start(hub: Role = 'Coordinator', more: object = {}): Promise<Seat> {
    const limits = { spawns: 10_000, concurrent: 1_000 };
    const { run, problems } = await this.system.ask<{ run: string; problems: string[] }>('hubs', {
      ...{ type: 'hub.start', hub, about: { title: 'mend it' }, workspace: '/shop', agents: OUTSIDE, limits },
      ...{ decides: { kind: 'outside' }, ...more },
    });
    expect(problems).toEqual([]);
    await expect.poll(() => this.sessions(planOf(run)), SOON).toContain(run);
    return this.seat(run, hub);
  }

  /** Ids of the open sessions of a plan. */
  async sessions(plan: string): Promise<string[]> {
    const shown = await this.system.snapshot(`work-plans/${plan}`);
    const { sessions } = (shown?.context ?? { sessions: new Map() }) as { sessions: Map<string, unknown> };
    return [...sessions.values()].map((one) => (one as { session: string }).session);
  }

  /** The state of the actor of a session; undefined if it is not there. */
  async stateOf(session: string): Promise<unknown> {
    return (await this.system.snapshot(`spokes/${session}`))?.value;
  }

  /** The doors of an open session. */
  async seat(session: string, role: Role): Promise<Seat> {
    const token = async () => {
      const issued = await this.post('hub.token', { plan: planOf(session), session });
      return issued['token'] as string;
    };
    return this.#doorsOf(session, role, await token());
  }

  /** The doors of a session whose token was issued by an earlier start of its host. */
  with({ session, role, token }: Seat): Seat {
    return this.#doorsOf(session, role, token);
  }

  #doorsOf(session: string, role: Role, held: string): Seat {
    const address = addressOf(session);
    const mcp = async () => {
      const known = this.#clients.get(session);
      if (known !== undefined) return known;
      const client = await overHttp('of 2026', `${this.url}/mcp`, held);
      this.#clients.set(session, client);
      return client;
    };
    return {
      ...{ session, role, mcp, token: held },
      order: async (event) =>
        this.system.ask<Answer>(address, event as { type: string }).catch((error: unknown) => ({
          error: error as { code: string; message: string },
        })),
      post: (method, params) => this.post(method, params, held),
      tool: async (name, args = {}) => {
        const told = await (await mcp()).call(name, args as Record<string, unknown>);
        return told.isError === true ? (toldBy(told) as Answer) : toldBy(told);
      },
    };
  }

  /** Spawns a session by the door of an event, without waiting for it. */
  async spawn(by: Seat, role: Role, more: object = {}): Promise<Seat> {
    const reply = await by.order({ type: 'session.spawn', role, task: `as ${role}`, ...more });
    expect(reply).toMatchObject({ taken: true });
    const session = reply['session'] as string;
    await expect.poll(() => this.stateOf(session), SOON).toBe('working');
    return this.seat(session, role);
  }

  lineage(plan = 'WP-1'): Promise<LineageEntry[]> {
    return this.#records<LineageEntry>(plan, 'lineage');
  }

  closed(plan = 'WP-1'): Promise<SessionEntry[]> {
    return this.#records<SessionEntry>(plan, 'sessions');
  }

  log(plan = 'WP-1'): Promise<PlanLogEntry[]> {
    return this.#records<PlanLogEntry>(plan, 'log');
  }

  async #records<Value>(plan: string, name: string): Promise<Value[]> {
    const { records } = await this.system.records.list(`work-plans/${plan}`, name, { limit: 1_000 });
    return records.map(({ value }) => value as Value);
  }

  /** Calls a procedure over HTTP, with a token or as the host's own program. */
  async post(method: string, params: object, token?: string): Promise<Answer> {
    const headers = {
      'Content-Type': 'application/json',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    };
    const path = `${this.url}/v1/procedures/${method}`;
    const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(params) });
    return (await answer.json()) as Answer;
  }
}

/** The work plan of a session, or of a run, that names none. */
export function planOf(session: string): string {
  return runOf(session).replace('R-', 'WP-');
}

function runOf(session: string): string {
  return session.split('-').slice(0, 2).join('-');
}

function addressOf(session: string): string {
  return session === runOf(session) ? `open-hubs/${session}` : `spokes/${session}`;
}
