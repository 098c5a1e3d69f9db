/** The corpus of a campaign: failures found once are played first in all later campaigns. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { campaign, corpusIn } from 'bosun/testing';
import { findingIn } from '../support/campaigns.ts';
import { shop } from './planted/shop.ts';

describe('a corpus', () => {
  let directory: string;
  beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'bosun-corpus-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  const corpus = () => corpusIn(join(directory, 'made when needed'));

  it('keeps a failure that a campaign finds, with its story, and plays it before the first seed', async () => {
    const { failure } = await findingIn(shop('timer'), 'a failure to keep', { corpus: corpus() });
    const [file] = readdirSync(join(directory, 'made when needed'));
    expect(JSON.parse(readFileSync(join(directory, 'made when needed', file!), 'utf8'))).toEqual({
      property: failure!.violation.property,
      token: failure!.token,
      story: failure!.story,
    });
    const again = await campaign(shop('timer'), { seeds: 0, corpus: corpus() });
    expect(again.failure?.violation.property).toBe(failure!.violation.property);
    expect(again.seeds).toBe(1);
  });

  it('says that a token no longer fails, and what has changed since', async () => {
    const { failure } = await findingIn(shop('timer'), 'a failure to keep', { corpus: corpus() });
    const { failure: after, mended, text } = await campaign(shop(null), { seeds: 0, corpus: corpus() });
    expect(after).toBe(undefined);
    const what = `${failure!.violation.property} (the token is stale: machine of "order" has changed)`;
    expect(mended).toEqual([what]);
    expect(text).toContain(`in the corpus, and fails no longer: ${what}`);
  });

  it('is empty without a directory', async () => {
    expect(corpus().tokens()).toEqual([]);
  });
});
