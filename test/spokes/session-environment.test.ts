/** The environment of a session's command. */
import { describe, expect, it } from 'vitest';
import { masked, secretsIn, sessionEnvironment } from '../../src/spokes/session-environment.ts';

const TOLD = { BOSUN_SESSION: 'R-1-1', BOSUN_PROMPT: 'mend it', BOSUN_PROMPT_FILE: '/data/p.md' };
const HOST = {
  ...{ PATH: '/bin', LC_ALL: 'C', XDG_CACHE_HOME: '/c', HOME: '/me', AWS_SECRET: 'aws', NPM_TOKEN: 'npm-token' },
  ...{ BOSUN_SECRET_KEY: 'key', BOSUN_TOKEN: 'of the operator', BOSUN_URL: 'http://elsewhere' },
};

describe('the environment of a session', () => {
  it('has of the host what programs need, and what its agent names', () => {
    const given = sessionEnvironment(HOST, ['NPM_TOKEN', 'NOT_THERE'], TOLD);
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
    const names = Object.keys(sessionEnvironment(HOST, [], TOLD));
    expect(names.filter((name) => name === 'BOSUN_URL' || name === 'BOSUN_TOKEN')).toEqual([]);
    const door = { BOSUN_URL: 'http://127.0.0.1:1', BOSUN_TOKEN: 'mine' };
    expect(sessionEnvironment(HOST, [], { ...TOLD, ...door })).toMatchObject(door);
  });

  it('leaves a prompt that is too long for a variable to its file', () => {
    const long = sessionEnvironment(HOST, [], { ...TOLD, BOSUN_PROMPT: 'é'.repeat(100_000) });
    expect(long).not.toHaveProperty('BOSUN_PROMPT');
    expect(long).toMatchObject({ BOSUN_PROMPT_FILE: '/data/p.md' });
    expect(sessionEnvironment(HOST, [], { ...TOLD, BOSUN_PROMPT: 'a\0b' })).toMatchObject({ BOSUN_PROMPT: 'ab' });
  });

  it('hides in shown output tokens and the values that were named, but no short ones', () => {
    const secrets = secretsIn({ ...HOST, DEBUG: '1' }, ['NPM_TOKEN', 'DEBUG']);
    const token = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiJSLTEtMSJ9', 'c2lnbmVkLWJ5LXRoZS1rZXk'].join('.');
    expect(masked(`npm-token 1 ${token} aws`, secrets)).toBe('*** 1 *** aws');
  });
});
