/**
 * A session of a coding agent, played by a real client over `bosun mcp` in the order of the skill: it calls only tools
 * that the skill names, and takes addresses and fields from their answers.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Repository } from '../support/cli/mcp-process.ts';
import { STUCK_SHOP } from '../support/cli/stuck-shop.ts';
import { ERAS, toldBy } from '../support/gateway/mcp-clients.ts';

const SKILL = readFileSync(join(import.meta.dirname, '../../docs/skills/bosun/SKILL.md'), 'utf8');

let work: Repository;
afterEach(() => work[Symbol.asyncDispose]());

interface Waits {
  readonly waits: readonly { readonly address: string; readonly for: string; readonly untilMs: number }[];
}

interface Agents {
  readonly agents: readonly {
    readonly name: string;
    readonly events: Readonly<Record<string, { readonly required?: readonly string[] }>>;
  }[];
}

describe.each(ERAS)('a coding agent with the skill, as a client %s', (era) => {
  it('finds what is stuck and why, sends the event that leads out, and reads the answer', async () => {
    work = new Repository();
    work.write('bosun.config.ts', STUCK_SHOP);
    const shop = await work.mcp();
    await shop.call('send_event', { address: 'warehouse', event: { type: 'count' }, until: 'taken' });
    const pay = { address: 'orders/o-2', event: { type: 'pay', item: 'cups' }, until: 'taken' };
    await shop.call('send_event', pay);

    const client = await work.mcp(era, ['--as', 'newcomer']);
    const call = async <Answer>(tool: string, args: Record<string, unknown> = {}): Promise<Answer> => {
      expect(SKILL, `the skill names ${tool}`).toContain(`\`${tool}\``);
      return toldBy(await client.call(tool, args)) as Answer;
    };

    const { waits } = await call<Waits>('list_waits');
    expect(waits).toMatchObject([{ kind: 'ask', address: 'orders/o-2', state: 'reserving', for: 'warehouse' }]);
    const [{ address: order, for: busy }] = waits as [Waits['waits'][number]];

    const why = await call<{ agent: string; accepts: string[]; context: { note: string } }>('inspect_actor', {
      address: busy,
    });
    expect(why).toMatchObject({ value: 'counting', accepts: ['reserve', 'counted'] });
    expect(why.context.note).toContain('nothing leaves until the pieces are counted');
    const { actors } = await call<{ actors: object[] }>('list_actors', { under: busy });
    expect(actors).toMatchObject([{ address: busy, mailbox: 1 }]);
    const { mermaid } = await call<{ mermaid: string }>('show_chart', { name: busy });
    expect(mermaid).toMatch(/reserve \/ defer$/m);

    const { agents } = await call<Agents>('list_agents');
    const fields = agents.find(({ name }) => name === why.agent)!.events['counted']!;
    expect(fields).toMatchObject({ required: ['pieces'], properties: { pieces: { type: 'integer' } } });
    const event = { type: 'counted', pieces: 412 };
    expect(await call('send_event', { address: busy, event, until: 'taken', idempotencyKey: 'stocktaking' })).toEqual({
      taken: true,
    });

    expect(await call('wait_for_actor', { address: order, value: 'sent' })).toMatchObject({ value: 'sent' });
    expect(await call('ask_actor', { address: order, event: { type: 'status' } })).toEqual({ reply: 'parcel 1' });
    expect(await call('list_waits')).toEqual({ waits: [] });
    expect(await call('list_dead_letters')).toMatchObject({ letters: [] });
  });
});
