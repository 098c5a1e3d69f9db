/** Options of simulations and campaigns are checked at once: the message names the mistake and the remedy. */
import { defineAgent } from 'bosun';
import { always, campaign, simulation } from 'bosun/testing';
import { describe, expect, it } from 'vitest';
import { fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { code } from '../support/actors/account.ts';

const lamp = defineAgent({
  name: 'lamp',
  machine: setup({ actors: { glow: fromPromise(async () => {}) } }).createMachine({
    initial: 'off',
    states: { off: { on: { press: 'on' } }, on: { invoke: { src: 'glow' } } },
  }),
  events: { press: z.object({}) },
});
const valid = { system: () => ({ agents: [lamp], tree: { children: [{ id: 'hall', agent: 'lamp' }] } }) };

describe('simulation', () => {
  it.each<[string, unknown, string]>([
    ['no options', undefined, 'needs an object of options, not undefined'],
    ['no system', {}, 'system: is missing; return agents and tree from a function'],
    ['an unknown key', { ...valid, effect: {} }, 'unknown key "effect"; did you mean "effects"?'],
    [
      'an effect without run',
      { ...valid, effects: { 'lamp.glow': {} } },
      'effects.lamp.glow.run: is missing; say what',
    ],
    ['a chance above 1', { ...valid, effects: { 'lamp.glow': { run: () => 1, fails: 5 } } }, 'fails: must be a chance'],
    [
      'a latency',
      { ...valid, effects: { 'lamp.glow': { run: () => 1, latencyMs: 5 } } },
      'latencyMs: must be two numbers',
    ],
    [
      'a latency turned round',
      { ...valid, effects: { 'lamp.glow': { run: () => 1, latencyMs: [5, 0] } } },
      'lesser first',
    ],
    ['an unknown profile', { ...valid, faults: 'cruel' }, 'faults: must be one of calm, default, hostile, swarm'],
    ['an unknown fault', { ...valid, faults: { powercut: 1 } }, 'unknown key "powercut"; did you mean "powerCut"?'],
    ['no steps', { ...valid, steps: 0 }, 'steps: must be a whole number from 1, not 0'],
    ['a function as property', { ...valid, properties: [() => true] }, 'properties[0]: must be a property, as always'],
    ['a model without check', { ...valid, model: { init() {}, apply() {} } }, 'model.check: is missing; say whether'],
    ['an unknown built-in property', { ...valid, tolerates: ['dead letters'] }, 'tolerates[0]: must be one of no ack'],
  ])('refuses %s', (_, options, message) => {
    expect(() => simulation(options as never)).toThrow(message);
    expect(() => simulation(options as never)).toThrow(code('BOSUN_CONFIG_INVALID') as never);
  });

  it('accepts every valid option', () => {
    const all = {
      ...valid,
      effects: { 'lamp.glow': { run: () => 1, latencyMs: [0, 0] as const, fails: 1, losesAnswer: 0, hangs: 0 } },
      faults: { powerCut: 100 },
      properties: [always<undefined>('holds', () => true)],
      model: { init: () => 0, apply: () => 0, check: () => true },
      tolerates: ['nobody waits without a limit'] as const,
      times: [0, 5],
    };
    expect(simulation(all).targets).toEqual([{ address: 'hall', agent: 'lamp' }]);
  });
});

describe('campaign', () => {
  const lamps = simulation(valid);

  it.each<[string, unknown, string]>([
    ['half a seed', { seeds: 0.5 }, 'campaign: seeds: must be a whole number from 0, not 0.5'],
    ['seeds turned round', { seeds: [5, 1] }, 'seeds: must be two numbers, the lesser first, not an array'],
    ['a directory as corpus', { corpus: 'sim' }, 'corpus: must be a corpus, such as corpusIn(directory), not a string'],
    ['an unknown key', { seed: null }, 'unknown key "seed"; did you mean "seeds"?'],
  ])('refuses %s', async (_, options, message) => {
    await expect(campaign(lamps, options as never)).rejects.toThrow(message);
  });
});
