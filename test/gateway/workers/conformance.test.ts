/**
 * A gateway over workers speaks the protocol: the conformance table cannot distinguish it from a gateway over one
 * system.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { gatewayConformance } from '../../../src/testing/gateway-conformance/run.ts';
import { PATIENCE_MS } from '../../support/effort.ts';
import { newDirectory, spread } from '../../support/workers/spread-threads.ts';

const MODULE = new URL('../../support/fixtures/workers/probe.mjs', import.meta.url);
const RATE = { burst: 1e6, perSecond: 1e6 };

const gateways: Gateway[] = [];
afterEach(() => gateways.splice(0).forEach((gateway) => gateway.abandon()));

describe('a gateway over workers', () => {
  it('passes every row of the conformance table', async () => {
    const system = await spread(newDirectory(), { module: MODULE }).start();
    const gateway = createGateway(system, { port: 0, rate: RATE, connectRate: RATE });
    gateways.push(gateway);
    const { url } = await gateway.listen();
    const { rows, passed, notApplicable } = await gatewayConformance(url, { patienceMs: PATIENCE_MS });
    expect(rows.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect([passed, notApplicable]).toEqual([rows.length - 2, 2]);
  });
});
