/** Failures that the whole crew retries by itself, and the end of its patience. */
import { describe, expect, it } from 'vitest';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;

interface Retried {
  readonly crew: WholeCrew;
  /** Times of the attempts on each item, in milliseconds since the start. */
  readonly attempts: Record<string, number[]>;
}

type Fault = Readonly<Record<string, unknown>>;

/** Items whose attempts fail with these faults, one after the other; later attempts succeed. */
async function retried(faults: Readonly<Record<string, readonly Fault[]>>, retry?: object): Promise<Retried> {
  const clock = new VirtualClock();
  const startMs = clock.wallMs();
  const attempts: Retried['attempts'] = {};
  const fetch: AgentFunction = async (_, { item }) => {
    const own = (attempts[item] ??= []);
    own.push(clock.wallMs() - startMs);
    const fault = faults[item]![own.length - 1];
    if (fault !== undefined) throw Object.assign(new Error(`fault of ${item}`), fault);
    return item;
  };
  const stage = { agent: 'fetch', ...(retry !== undefined && { retry }) };
  const plan = planOf({ stages: { fetch: stage }, items: Object.keys(faults) });
  return { crew: await startWholeCrew(plan, { fetch }, {}, clock), attempts };
}

function waits(times: readonly number[]): readonly number[] {
  return times.slice(1).map((time, n) => time - times[n]!);
}

const timeout = (dataSource: string) => ({ errorType: 'timeout', dataSource });

describe('a failure of tier 1', () => {
  it(
    'CA-040: a timeout, HTTP 429 or 5xx is tried again after growing waits, at most three times in all, without ' +
      'a pause; then its item pauses',
    async () => {
      const { crew, attempts } = await retried({
        TIMEOUT: [timeout('Koyfin'), timeout('Koyfin')],
        LIMITED: [{ status: 429 }, { status: 429 }],
        SERVER: [{ status: 503 }, { status: 500 }],
        ALWAYS: [{ status: 502 }, { status: 502 }, { status: 502 }, { status: 502 }],
      });
      await crew.test.advance(1_500);
      expect(crew.phases()).toEqual(['running', 'running', 'running', 'running']);
      await crew.powerCut();
      await crew.test.advance(MINUTE_MS);
      for (const item of ['TIMEOUT', 'LIMITED', 'SERVER', 'ALWAYS']) {
        expect(attempts[item]).toHaveLength(3);
        const [first, second] = waits(attempts[item]!);
        expect(first).toBeGreaterThanOrEqual(1_000);
        expect(second).toBeGreaterThan(first!);
      }
      expect(crew.phases()).toEqual(['running', 'running', 'running', 'paused']);
      for (const item of ['TIMEOUT', 'LIMITED', 'SERVER']) {
        expect(crew.item(item)).toMatchObject({ done: [`${item}/fetch`], manager: null, pauses: 0 });
        expect(crew.cards().filter((card) => card.item === item)).toEqual([]);
      }
      await crew.test.advance(10 * MINUTE_MS);
      expect(attempts['ALWAYS']).toHaveLength(3);
    },
  );

  it('CA-040: a third timeout in a row at one source is none, however many attempts are left', async () => {
    const { crew, attempts } = await retried(
      {
        ONE: Array.from({ length: 9 }, () => timeout('Koyfin')),
        OTHERS: ['Koyfin', 'Koyfin', 'Reuters', 'Koyfin', 'Koyfin', 'Reuters'].map(timeout),
      },
      { attempts: 10 },
    );
    await crew.test.advance(10 * MINUTE_MS);
    expect([attempts['ONE']!.length, attempts['OTHERS']!.length]).toEqual([3, 7]);
    expect(crew.phases()).toEqual(['paused', 'running']);
    expect(crew.item('OTHERS').done).toEqual(['OTHERS/fetch']);
  });
});
