/** The environment of a session's command. */
import { describe, expect, it } from 'vitest';
import { masked, secretsIn, sessionEnvironment, type SessionFacts } from '../../src/spokes/session-environment.ts';

const FACTS: SessionFacts = {
  ...{ session: 'R-1-1', role: 'Executor', hub: 'Coordinator', plan: 'mend', workspace: '/shop' },
  ...{ prompt: 'mend it', promptFile: '/data/p.md', handoffFile: '/data/h.json' },
};
const HOST = {
  ...{ PATH: '/bin', LC_ALL: 'C', XDG_CACHE_HOME: '/c', HOME: '/me', AWS_SECRET: 'aws', NPM_TOKEN: 'npm-token' },
  ...{ BOSUN_SECRET_KEY: 'key', BOSUN_TOKEN: 'of the operator', BOSUN_URL: 'http://elsewhere' },
};

describe('the environment of a session', () => {
  it('has of the host what programs need, and what its agent names', () => {
    const given = sessionEnvironment(HOST, ['NPM_TOKEN', 'NOT_THERE'], FACTS);
    expect(given).toMatchObject({
      PATH: '/bin',
      LC_ALL: 'C',
      XDG_CACHE_HOME: '/c',
      HOME: '/me',
      NPM_TOKEN: 'npm-token',
    });
    expect(given).not.toHaveProperty('AWS_SECRET');
    expect(given).not.toHaveProperty('BOSUN_SECRET_KEY');
  });

  it('names its own gateway and token, and never those of its host', () => {
    const names = Object.keys(sessionEnvironment(HOST, [], FACTS));
    expect(names.filter((name) => name === 'BOSUN_URL' || name === 'BOSUN_TOKEN')).toEqual([]);
    const door = { url: 'http://127.0.0.1:1', token: 'mine' };
    expect(sessionEnvironment(HOST, [], { ...FACTS, door })).toMatchObject({
      BOSUN_URL: door.url,
      BOSUN_TOKEN: 'mine',
    });
  });

  it('leaves a prompt that is too long for a variable to its file', () => {
    const long = sessionEnvironment(HOST, [], { ...FACTS, prompt: 'é'.repeat(100_000) });
    expect(long).not.toHaveProperty('BOSUN_PROMPT');
    expect(long).toMatchObject({ BOSUN_PROMPT_FILE: '/data/p.md' });
    expect(sessionEnvironment(HOST, [], { ...FACTS, prompt: 'a\0b' })).toMatchObject({ BOSUN_PROMPT: 'ab' });
  });

  it('hides in shown output tokens and the values that were named, but no short ones', () => {
    const secrets = secretsIn({ ...HOST, DEBUG: '1' }, ['NPM_TOKEN', 'DEBUG']);
    const token = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiJSLTEtMSJ9', 'c2lnbmVkLWJ5LXRoZS1rZXk'].join('.');
    expect(masked(`npm-token 1 ${token} aws`, secrets)).toBe('*** 1 *** aws');
  });
});
