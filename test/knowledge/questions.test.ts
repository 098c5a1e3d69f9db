/** Questions taken apart, and what makes a statement an answer to one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isHedged, NamePattern } from '../../src/knowledge/phrasing.ts';
import { questionOf } from '../../src/knowledge/question.ts';
import { valueOfKey, valuesInProse } from '../../src/knowledge/values.ts';
import { questionTermsOf, termsOf } from '../../src/knowledge/words.ts';
import { type Evidence } from '../../src/machines/answers/evidence.ts';
import { quotedAnswer } from '../../src/machines/answers/quoting.ts';
import { finderOver } from '../support/knowledge/fixture-finder.ts';

/** Evidence from files that are given as `path: text`, and the answer from it. */
function asked(question: string, files: Readonly<Record<string, string>>, options: string[] | null = null) {
  const text = Object.entries(files).map(([path, content]) => `=== ${path}\n${content}\n`);
  const evidence = finderOver('shop', text.join('')).evidenceFor({ question, options, scopes: null, limit: 20 });
  return { ...quotedAnswer({ evidence, isComplete: true }), evidence };
}

const kindsOf = (evidence: readonly Evidence[]) => evidence.map(({ kind }) => kind);

describe('a question', () => {
  it.each([
    ['How many retries are there?', 'number'],
    ['How long does a session live?', 'duration'],
    ['How many minutes does a session live?', 'duration'],
    ['How large may a body be?', 'size'],
    ['What is the timeout of a request?', 'duration'],
    ['Which port does it listen on?', 'number'],
    ['Which version of the runtime is needed?', 'version'],
    ['Who owns the service?', 'person'],
    ['Where are backups stored?', 'place'],
    ['Which library parses dates?', 'name'],
    ['Is the cache enabled?', 'truth'],
    ['Why was it replaced?', 'text'],
  ])('asks for a kind of value: %s', (question, kind) => expect(questionOf(question, null).kinds[0]).toBe(kind));

  it.each([
    ['Should we use Alpha or Beta for it?', ['Alpha', 'Beta']],
    ['Is it 400, 409 or 422?', ['400', '409', '422']],
    ['alpha or beta for the gate?', ['alpha', 'beta']],
    ['Is `left` or `right` first?', ['left', 'right']],
    ['Is it kept for an hour or a day?', []],
    ['Should it be fast or cheap?', []],
  ])('names its options: %s', (question, options) => expect(questionOf(question, null).options).toEqual(options));

  it('has a subject without its options and without common question words', () => {
    expect([...questionOf('Should we use Alpha or Beta for dates?', null).terms]).toEqual(['date']);
    expect(questionTermsOf('How long does a session currently stay valid?')).toEqual(termsOf('session lifetime'));
  });
});

describe('words', () => {
  it('have the same term in inflected forms, identifiers and paths', () => {
    expect([...termsOf('retriesMax')]).toEqual(expect.arrayContaining(['retry', 'max']));
    expect([...termsOf('src/validation-rules.ts')]).toEqual(expect.arrayContaining(['validat', 'rule']));
    expect(termsOf('validated validates validating validation')).toEqual(new Set(['validat']));
    expect(termsOf('HTTPServer')).toContain('server');
  });
});

describe('a value', () => {
  const unit = fc.constantFrom(
    ['Ms', 'milliseconds'] as const,
    ['Seconds', 'seconds'] as const,
    ['_minutes', 'minutes'] as const,
    ['Hours', 'hours'] as const,
    ['_days', 'days'] as const,
  );

  it('is the same whether a key or a sentence states its unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 5_000 }), unit, (amount, [suffix, word]) => {
        const key = valueOfKey(`keep${suffix}`, String(amount), ['duration']);
        const [prose] = valuesInProse(`It is kept for ${amount} ${word}.`, ['duration']);
        expect(key!.text).toBe(prose!.text);
      }),
    );
  });

  it.each([
    ['timeout', '30s', 'duration', '30 seconds'],
    ['timeoutMs', '90_000', 'duration', '90 seconds'],
    ['LOCK_WAIT', 'Duration::from_secs(4)', 'duration', '4 seconds'],
    ['interval', '5 * time.Minute', 'duration', '5 minutes'],
    ['limit', '256kb', 'size', '256 KB'],
    ['items', '2_500', 'number', '2500'],
    ['runtime', '>=3.11', 'version', '3.11'],
    ['enabled', 'True', 'truth', 'true'],
    ['broker', 'alpha', 'name', 'alpha'],
  ] as const)('is read from its key by its kind: %s = %s', (key, value, kind, text) => {
    expect(valueOfKey(key, value, [kind])?.text).toBe(text);
  });

  it('is never assigned to a wrong kind', () => {
    expect(valueOfKey('items', '25', ['duration'])).toBe(undefined);
    expect(valueOfKey('items', '25', ['name'])).toBe(undefined);
    expect(valueOfKey('name', 'alpha', ['number'])).toBe(undefined);
    expect(valuesInProse('See https://example.org/1234/56.', ['number'])).toEqual([]);
  });
});

describe('an option in a sentence', () => {
  const alpha = new NamePattern('Alpha');
  const isDenied = (text: string) => alpha.isDeniedAt(text, alpha.placesIn(text));

  it.each([
    'We do not use Alpha.',
    'Beta is used instead of Alpha.',
    'We chose Beta over Alpha.',
    'Alpha was rejected, because it is slow.',
    'Alphas are not used.',
    'Alpha and Gamma were turned down.',
    'Beta replaces Alpha.',
  ])('is denied: %s', (text) => expect(isDenied(text)).toBe(true));

  it.each(['We use Alpha over HTTP.', 'Alpha is used, not Beta.', 'Alpha replaces Beta.', 'Alpha stays.'])(
    'is not denied: %s',
    (text) => expect(isDenied(text)).toBe(false),
  );

  it('is found as a name, not as an ordinary word or a part of another name', () => {
    const express = new NamePattern('Express');
    expect(express.placesIn('express the intent')).toEqual([]);
    expect(express.placesIn('express-session, Expressive, /Express')).toEqual([]);
    expect(express.placesIn('Express, then Express.')).toHaveLength(2);
  });

  it('is left undecided by a question, a condition or a doubt', () => {
    for (const text of ['Alpha?', 'If it grows, Alpha is used.', 'Perhaps Alpha.', 'Alpha was considered.'])
      expect(isHedged(text), text).toBe(true);
    expect(isHedged('Alpha is used.')).toBe(false);
  });
});

describe('evidence for a choice', () => {
  const manifest = { 'package.json': '{ "dependencies": { "alpha": "^1.0.0" } }' };

  it('AT-002: comes from manifests, decisions and imports, the strongest first', () => {
    const files = {
      ...manifest,
      'docs/adr/1-dates.md': '# Dates\n\nStatus: accepted\n\n## Decision\n\nDates are parsed with Alpha.\n',
      'src/dates.ts': "import { parse } from 'alpha';\n",
    };
    const { evidence, answer, confidence } = asked('Alpha or Beta for parsing dates?', files);
    expect(new Set(kindsOf(evidence))).toEqual(new Set(['declared', 'decided', 'used']));
    expect({ answer, confidence }).toMatchObject({
      answer: expect.stringContaining('Alpha (decided in'),
      confidence: 95,
    });
  });

  it('is provisional if the project uses the option and no source is about the subject', () => {
    expect(asked('Alpha or Beta for the audit trail?', manifest)).toMatchObject({ confidence: 69 });
    expect(asked('Alpha or Beta?', manifest).confidence).toBe(90);
  });

  it('does not come from a comment, an example or a similar word', () => {
    const files = {
      'src/a.ts': '// express the dates\nconst a = 1;\n',
      'examples/b.md': 'Dates are parsed with Beta.\n',
    };
    expect(asked('Express or Beta for dates?', files).confidence).toBeLessThan(40);
  });

  it('accepts a number only on a line about the subject', () => {
    const files = { 'docs/a.md': 'A body that is too large gets status 413.\n\nThere are 422 tests.\n' };
    expect(asked('Is a body that is too large answered with status 413 or 422?', files).leading).toBe('413');
    expect(asked('Is a missing row answered with status 404 or 422?', files).confidence).toBeLessThan(40);
  });
});

describe('evidence for an open question', () => {
  it('counts as a statement only if it covers most of the question', () => {
    const files = { 'docs/a.md': 'Sessions of couriers end after 45 minutes.\n' };
    expect(asked('After how many minutes do sessions of couriers end?', files).confidence).toBe(90);
    expect(asked('After how many minutes do trials of a subscription end?', files).confidence).toBeLessThan(40);
  });

  it('is the value that counts the requested things, in the clause about them', () => {
    const files = {
      'docs/a.md': 'A token lasts 10 minutes, a refresh lasts 30 days.\n\nA visit of 20 minutes has a doctor.\n',
    };
    expect(asked('How long does a refresh last?', files).leading).toBe('30 days');
    expect(asked('How many doctors does a visit have?', files).confidence).toBeLessThan(40);
  });

  it('takes no value from a test, a schema or a sentence about something else', () => {
    const files = {
      'test/a.test.ts': 'const restarts = 20;\n',
      'schema/openapi.json': '{ "restarts": 0 }',
      'docs/b.md': 'What can be checked is checked by `alpha`, the compiler and the linter.\n',
    };
    expect(asked('How many restarts are allowed?', files).confidence).toBeLessThan(40);
    expect(asked('Which linter is used?', files).confidence).toBeLessThan(40);
  });

  it('contains a version only if it is next to the name', () => {
    const files = {
      'pyproject.toml': '[project]\nrequires-python = ">=3.11"\ndependencies = ["alpha==2.0.35"]\n',
      'README.md': '# Python\n\nThe smallest supported version of Beta is 3.9.\n',
    };
    expect(asked('Which Python version is required?', files).leading).toBe('3.11');
    expect(asked('Which version of alpha is pinned?', files).leading).toBe('2.0.35');
  });

  it('comes from the matching key, not from one with a more specific name', () => {
    const files = {
      'src/limits.ts': 'export const ADDRESS_SEGMENTS_MAX = 16;\nexport const ADDRESS_SEGMENT_CHARS_MAX = 128;\n',
    };
    expect(asked('How many segments can an address have?', files)).toMatchObject({ leading: '16', confidence: 90 });
  });
});

describe('the one option that a project has', () => {
  const question = 'Which queue carries the mail of riders?';
  const options = ['Alpha', 'Beta'];
  const quoted = (files: Readonly<Record<string, string>>) => asked(question, files, options);

  it.each([
    ['in a manifest', { 'package.json': '{ "dependencies": { "alpha": "^1.0.0" } }' }],
    ['as the value of a key', { 'a.yaml': 'broker: alpha\n' }],
    [
      'in a sentence that has a word of the question',
      { 'docs/a.md': 'The queue is Alpha.\n', 'docs/b.md': 'Riders get mail.\n' },
    ],
  ])('is quoted at most at 69 where nothing speaks of the subject: %s', (_, files) => {
    expect(quoted(files)).toMatchObject({ leading: 'Alpha', confidence: 69 });
  });

  it.each([
    ['the project has both', { 'package.json': '{ "dependencies": { "alpha": "1.0.0", "beta": "1.0.0" } }' }],
    ['it is past', { 'docs/a.md': 'Until 2023 the queue was Alpha with two workers.\n' }],
    ['its sentence has no word of the question', { 'docs/a.md': 'Alpha has two workers a host.\n' }],
    ['only a package under its name is there', { 'package.json': '{ "dependencies": { "@alpha/errors": "1.0.0" } }' }],
    [
      'a list of links tells what others have made',
      { 'docs/a.md': '- [alpha-mail](https://a.example) queue of Alpha\n' },
    ],
  ])('is not known if %s', (_, files) => {
    expect(quoted(files).confidence).toBeLessThan(40);
  });

  it('may be an amount that its source writes otherwise', () => {
    const files = { 'a.yaml': 'session:\n  idle_minutes: 45\n' };
    expect(
      asked('Is a session idle after 30 minutes or 45 minutes?', files, ['30 minutes', '45 minutes']),
    ).toMatchObject({ leading: '45 minutes' });
  });
});

describe('an answer to an open question', () => {
  const leadingOf = (question: string, files: Readonly<Record<string, string>>) => asked(question, files).leading;

  it('is the value under the head that was asked for', () => {
    const table = '| Parameter | Default | Max |\n|---|---|---|\n| page size | 40 | 250 |\n';
    const files = { 'docs/api.md': `# Lists\n\n${table}` };
    expect(leadingOf('What is the maximum page size of lists?', files)).toBe('250');
    expect(asked('What is the page size of lists?', files).leading).toBe(null);
  });

  it('is the bound of a range that was asked for', () => {
    const files = { 'docs/api.md': 'The minimum and the maximum of an order are 1 to 400 lines.\n' };
    expect(leadingOf('How many lines can an order have at most?', files)).toBe('400');
    expect(leadingOf('How many lines must an order have at least?', files)).toBe('1');
  });

  it('needs all words of a question that has few, in a line that says little else', () => {
    const files = { 'README.md': 'The logo was drawn by Ada Ilves in Tallinn.\n\nThe owner is Ada Ilves.\n' };
    expect(asked('Which colour does the logo have?', files).confidence).toBeLessThan(40);
    expect(asked('Who is the owner?', files)).toMatchObject({ leading: 'Ada Ilves', confidence: 90 });
    const quoted = { 'docs/a.md': 'Work on old releases of the shop costs us two weeks of every winter.\n' };
    expect(asked('How long is a release?', quoted).confidence).toBeLessThan(70);
  });

  it('is no line without one of two words, however rare the other one is', () => {
    const riders = ['bike', 'coat', 'lamp', 'bell', 'map', 'bag', 'lock', 'key', 'tent', 'cup', 'hat', 'sock'];
    const pages = riders.map((one) => [`docs/${one}.md`, `A rider has a ${one}.\n`] as const);
    const files = { ...Object.fromEntries(pages), 'docs/b.md': 'A quarantine is 9 days.\n' };
    expect(asked('How long is a quarantine?', files).leading).toBe('9 days');
    expect(asked('How long is the quarantine of a rider?', files).confidence).toBeLessThan(40);
  });

  it('is a person or a place only in a line that says little else', () => {
    const files = {
      'docs/a.md':
        'A release of the winter line that Ada Ilves approves late is told to harbour, depot and board by fax.\n',
    };
    expect(asked('Who approves a release of the winter line?', files).confidence).toBeLessThan(40);
    const plain = { 'docs/a.md': 'Releases of the winter line are approved by Ada Ilves.\n' };
    expect(asked('Who approves a release of the winter line?', plain).leading).toBe('Ada Ilves');
  });

  it('is a name without a person only if its line says what it is', () => {
    const files = { 'docs/a.md': 'Texts to riders are sent with Gamma when the depot closes.\n' };
    expect(asked('Which provider sends texts to riders when the depot closes late?', files).confidence).toBeLessThan(
      70,
    );
  });

  it('is a default under the heading that names it', () => {
    const files = { 'docs/api.md': '# Server\n\n### `bodyLimit`\n\nDefault: `1048576`\n' };
    expect(asked('What is the default body limit?', files)).toMatchObject({ leading: '1048576', confidence: 89 });
  });

  it('is none of three values that lines state alike', () => {
    const files = { 'docs/a.md': ['5', '6', '7'].map((many) => `A rider has ${many} stops.\n`).join('\n') };
    expect(asked('How many stops does a rider have?', files).confidence).toBeLessThan(40);
  });

  it('is shown with another value that a line states about the same thing in other words', () => {
    const files = {
      'CONTRIBUTING.md': 'Line coverage must not fall under 80 percent, or the build goes red.\n',
      'build.properties': 'minimum.line.coverage.of.build = 72\n',
      'README.md': 'Riders bring orders.\n\nOrders are paid.\n',
    };
    expect(asked('What minimum line coverage does the build enforce?', files)).toMatchObject({
      answer: expect.stringMatching(/Sources differ.*(?:72.*80|80.*72)/),
      factors: { caps: ['contradiction'] },
    });
  });

  it('is a date where a date was asked for, and no span of time', () => {
    const files = { 'docs/a.md': 'Support of the winter line ends after 6 months.\n' };
    expect(asked('On which date does support of the winter line end?', files).leading).toBe(null);
    const dated = { 'docs/a.md': 'Support of the winter line ends on 2027-03-31.\n' };
    expect(leadingOf('On which date does support of the winter line end?', dated)).toBe('2027-03-31');
  });

  it('is the version of what was named, in manifests of images and of tools too', () => {
    const files = {
      Dockerfile: 'FROM ruby:3.3.5-slim AS build\n',
      '.nvmrc': 'v22.4.1\n',
      'package.json': '{ "dependencies": { "gamma": "^7.1.0" } }',
    };
    expect(leadingOf('Which Ruby version does the image have?', files)).toBe('3.3.5');
    expect(leadingOf('Which version of Node do we use?', files)).toBe('22.4.1');
    expect(leadingOf('What is the minimum Node version for gamma?', files)).not.toBe('7.1.0');
  });

  it('is no number of a command line', () => {
    const files = {
      'package.json': '{ "scripts": { "bundle": "esbuild a.js --bundle --define:kilobytes=1 && node b.js" } }',
    };
    expect(asked('How many kilobytes does the bundle have?', files).confidence).toBeLessThan(40);
  });
});
