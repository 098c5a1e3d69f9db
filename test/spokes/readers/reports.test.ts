/** The readers of reports: on reports of other tools, on what is no report, on reports that were cut, on large ones. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { READERS, type Reader, type Report } from '../../../src/machines/hub/report.ts';
import { readReport } from '../../../src/spokes/readers/report.ts';
import { sample } from '../../support/effort.ts';
import { leastCostOf, REFERENCE_MS } from '../../support/processor-time.ts';

const FOLDER = join(import.meta.dirname, '../../support/fixtures/reports');
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.txt'));

const textOf = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const kindOf = (file: string) => file.split('.').at(-2) as Reader;
const read = (file: string) => readReport(kindOf(file), textOf(file), { workspace: '/shop' });

/** The findings of a report as lines, with the first line of each message, and its tests. */
function lines({ findings, tests }: Report): string[] {
  const counts = tests === null ? [] : [`${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`];
  return [
    ...counts,
    ...findings.map(
      ({ rule, level, message, file, line, column }) =>
        `${file}:${line}:${column} ${level} ${rule}: ${message.split('\n')[0]}`,
    ),
  ];
}

const ESLINT = [
  "l1.js:1:7 error no-unused-vars: 'unused' is assigned a value but never used.",
  "l1.js:2:5 error no-undef: 'x' is not defined.",
  "l1.js:2:7 warning eqeqeq: Expected '===' and instead saw '=='.",
  "l1.js:2:15 error no-undef: 'y' is not defined.",
  "l2.js:1:1 error null: Parsing error: The keyword 'let' is reserved",
];

const TSC = [
  "src/a.ts:1:7 error TS2322: Type 'string' is not assignable to type 'number'.",
  "src/a.ts:2:67 error TS2322: Type 'number' is not assignable to type 'string'.",
  "src/a.ts:3:14 error TS2322: Type '(x: number) => undefined' is not assignable to type '() => void'.",
  "src/b.ts:2:7 error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
];

const VITEST =
  'test/v.test.ts:4:49 error test/v.test.ts > sum > adds <badly> & "so": expected 2 to be 3 // Object.is equality';

/** The contents of each file, as a person reads them. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'node.tap.txt': [
    '3 passed, 3 failed, 2 skipped',
    'test/node.test.mjs:4:1 error adds wrongly # once: Expected values to be strictly equal:',
    'test/node.test.mjs:7:3 error a group > fails within: no <such> thing & "more"',
    'test/node.test.mjs:11:79 error with subtests > inner bad: The expression evaluated to a falsy value:',
  ],
  'node.junit.txt': [
    '3 passed, 3 failed, 2 skipped',
    'test/node.test.mjs:4:42 error adds wrongly # once: Expected values to be strictly equal:2 !== 3',
    'test/node.test.mjs:7:36 error fails within: no <such> thing & &quot;more&quot;',
    'test/node.test.mjs:11:79 error inner bad: The expression evaluated to a falsy value:  assert.ok(false)',
  ],
  'vitest.tap.txt': ['1 passed, 1 failed, 2 skipped', VITEST],
  'vitest-flat.tap.txt': ['1 passed, 1 failed, 2 skipped', VITEST],
  'vitest.junit.txt': ['1 passed, 1 failed, 2 skipped', VITEST.replace('error test/v.test.ts > ', 'error ')],
  'eslint.eslint.txt': ESLINT,
  'eslint-clean.eslint.txt': [],
  'tsc.tsc.txt': TSC,
  'tsc-pretty.tsc.txt': TSC,
  'bats.tap.txt': [
    '1 passed, 2 failed, 1 skipped',
    'test/serve.bats:14:null error refuses a port in use: (in test file test/serve.bats, line 14)',
    "test/serve.bats:31:null error closes its socket: (from function `assert_closed' in file test/lib.bash, line 8,",
  ],
  'perl.tap.txt': ['2 passed, 1 failed, 1 skipped', "t/basket.t:9:null error adds up: Failed test 'adds up'"],
  'tape.tap.txt': [
    '2 passed, 1 failed, 0 skipped',
    'test/sums.js:7:5 error should be strictly equal: should be strictly equal',
  ],
  'node-tap-buffered.tap.txt': [
    '2 passed, 1 failed, 0 skipped',
    'test/unit.js:12:5 error test/unit.js > second: second',
  ],
  'pytest.junit.txt': [
    '2 passed, 2 failed, 2 skipped',
    'tests/test_basket.py:25:null error tests.test_basket > test_sum: AssertionError: assert 7 == 8',
    'tests/conftest.py:6:null error tests.test_basket > test_shop: failed on setup with "OSError: no shop"',
  ],
  'surefire.junit.txt': [
    '1 passed, 2 failed, 1 skipped',
    'null:null:null error shop.BasketTest > sums: expected:<8> but was:<7>',
    'null:null:null error shop.BasketTest > opens: java.lang.NullPointerException',
  ],
  'jest.junit.txt': [
    '1 passed, 1 failed, 1 skipped',
    '__tests__/basket.test.js:10:21 error Basket GET /items sums.ts up: Error: expect(received).toBe(expected)',
  ],
  'go.junit.txt': ['1 passed, 1 failed, 1 skipped', 'null:null:null error example.org/shop/basket > TestSum: Failed'],
  'gtest.junit.txt': ['1 passed, 1 failed, 1 skipped', 'basket_test.cc:11:null error Basket > Sum: basket_test.cc:11'],
  'codeql.sarif.txt': [
    'api/route.ts:7:9 error js/request-forgery: The [URL](1) of this request depends on a [user-provided value](2).',
    'lib/my cart.ts:3:null note js/unused-local-variable: Unused variable total.',
    'lib/my cart.ts:null:null warning js/useless-assignment: This assignment is useless.',
  ],
  'semgrep.sarif.txt': ['src/app.py:9:5 error python.lang.eval: Text of users is run as code.'],
  'eslint.sarif.txt': [
    "src/a.js:1:7 error no-unused-vars: 'x' is assigned a value but never used.",
    "src/a.js:2:3 warning eqeqeq: Expected '===' and instead saw '=='.",
    "src/b.js:1:1 error ESL0999: Parsing error: The keyword 'let' is reserved",
  ],
};

const REPORTS = FILES.filter((file) => READERS.includes(kindOf(file)));

/** Whether a report would be taken for good, with exit code 0. */
function isGood({ findings, tests }: Report): boolean {
  const isClean = !findings.some(({ level }) => level === 'error');
  return isClean && (tests === null || (tests.failed === 0 && tests.passed > 0));
}

describe('reports of other tools', () => {
  it('are all expected here', () => {
    expect(Object.keys(EXPECTED).sort()).toEqual(REPORTS.sort());
  });

  it.each(REPORTS)('are read as a person reads them: %s', (file) => {
    expect(lines(read(file))).toEqual(EXPECTED[file]);
  });

  it('are refused by every other reader, with what was expected and how to have it', () => {
    const taken = FILES.flatMap((file) =>
      READERS.filter((kind) => kind !== kindOf(file)).flatMap((kind) => {
        try {
          return [[file, kind, readReport(kind, textOf(file))]];
        } catch (error) {
          expect(error).toMatchObject({
            code: 'BOSUN_VALUE_REFUSED',
            message: expect.stringMatching(/^the report is not .+: .+; (run|have) .+/s) as string,
          });
          return [];
        }
      }),
    );
    expect(taken).toEqual([]);
  });

  const CUTTABLE = REPORTS.filter((file) => kindOf(file) !== 'tsc');

  it.each(sample(CUTTABLE, 4))('never read as good when they are cut: %s', (file) => {
    const text = textOf(file).trimEnd();
    const isFine = isGood(read(file));
    const cuts = Array.from({ length: text.length }, (_, length) => length);
    const good = cuts.filter((length) => {
      try {
        return isGood(readReport(kindOf(file), text.slice(0, length), { workspace: '/shop' }));
      } catch {
        return false;
      }
    });
    expect([isFine, good]).toEqual([isFine, []]);
  });

  it('lines of tsc that are cut are refused, or have the errors of their whole lines', () => {
    const text = textOf('tsc.tsc.txt');
    const whole = text.split('\n').slice(0, 2).join('\n').length;
    expect(() => readReport('tsc', text.slice(0, whole))).toThrow('it was cut');
    expect(readReport('tsc', text.slice(0, whole + 1)).findings).toHaveLength(2);
    const pretty = textOf('tsc-pretty.tsc.txt');
    const end = pretty.indexOf('Found 4 errors in 2 files.');
    for (let length = 1; length < end; length++) expect(() => readReport('tsc', pretty.slice(0, length))).toThrow();
  });
});

describe('texts that are no report', () => {
  const REFUSED: readonly (readonly [Reader, string, string])[] = [
    ['eslint', '', 'it is empty; run eslint with -f json'],
    ['sarif', ' \n', 'it is empty'],
    ['tap', '<!doctype html><html></html>\n', 'it has no plan'],
    ['junit', '<!doctype html><html></html>\n', 'its root is <html>'],
    ['tsc', '<!doctype html><html></html>\n', 'line 1 is no line of it'],
    ['tsc', 'TypeError: boom\n    at tsc.js:1:1\n', 'line 1 is no line of it'],
    ['tsc', 'Version 6.0.0\n', 'line 1 is no line of it'],
    ['tsc', 'a.ts(1,1): error TS1: x', 'it was cut'],
    ['tsc', 'a.ts:1:1 - error TS1: x\n\nFound 2 errors in the same file, starting at: a.ts:1\n', '1 of 2 errors'],
    ['eslint', '{}', 'expected array'],
    ['eslint', '[{"filePath":"a","messages":[{"severity":3,"message":"x"}]}]', '0.messages.0.severity'],
    ['sarif', '{"version":"1.0.0","runs":[]}', 'version'],
    ['sarif', '{"version":"2.1.0","runs":[{"tool":{"driver":{}}}]}', 'no results'],
    [
      'sarif',
      '{"version":"2.1.0","runs":[{"tool":{"driver":{}},"results":[],"invocations":[{"executionSuccessful":false}]}]}',
      'did not succeed',
    ],
    ['junit', '<testsuite failures="2"><testcase name="a"/></testsuite>', 'counts 2 failures and shows none'],
    ['junit', '<testsuite></testsuites>', 'unexpected close tag'],
    ['junit', '<testsuite/>later', 'text data outside of root node'],
    ['junit', '<!DOCTYPE t [<!ENTITY a "b">]><testsuite name="&a;"/>', 'invalid character entity'],
    ['junit', '<!DOCTYPE t [<!ENTITY a SYSTEM "file:///etc/hosts">]><testsuite>&a;</testsuite>', 'invalid character'],
    ['tap', 'ok 1\nok 2\n', 'it has no plan'],
    ['tap', '1..2\nok 1\nok 2', 'its last line has no end'],
    ['tap', '1..1\nok 1 - a file {\n    ok 1\n', 'it ends within a test'],
    ['tap', '1..1\nok 1\n  ---\n  a: b\n', 'it ends within a test'],
    ['tap', 'ok 1\n1..1\nnot ok 2\n', 'it has tests behind its plan'],
  ];

  it.each(REFUSED)('are refused as %s: %j, because %s', (kind, text, because) => {
    expect(() => readReport(kind, text)).toThrow(
      expect.objectContaining({ code: 'BOSUN_VALUE_REFUSED', message: expect.stringContaining(because) as string }),
    );
  });
});

describe('the reader of TAP', () => {
  it.each([
    ['1..3\nok 1\nok 2\n', '2 passed, 1 failed, 0 skipped', 'null:null:null error the plan: planned 1..3, but 2 ran'],
    ['ok\nok\n1..1\n', '2 passed, 1 failed, 0 skipped', 'null:null:null error the plan: planned 1..1, but 2 ran'],
    ['1..9\nok 1\nBail out! no shop\n', '1 passed, 1 failed, 0 skipped', 'null:null:null error Bail out!: no shop'],
    ['1..0 # SKIP not here\n', '0 passed, 0 failed, 0 skipped'],
    ['1..3\nok # SKIP\nnot ok a # TODO later\nok b # todo\n', '0 passed, 0 failed, 3 skipped'],
    [
      '1..1\nnot ok a # TODOORNOT\n',
      '0 passed, 1 failed, 0 skipped',
      'null:null:null error a # TODOORNOT: a # TODOORNOT',
    ],
    ['> shop@1 test\n> node --test\n\nTAP version 13\r\nok 1\r\n1..1\r\n', '1 passed, 0 failed, 0 skipped'],
    [
      'noise\n{"ok": 1}\nokay\n  ok odd\n1..1\nok 1 parses {\n# end\nok 2 ends }\n',
      '2 passed, 1 failed, 0 skipped',
      'null:null:null error the plan: planned 1..1, but 2 ran',
    ],
    ['    not ok a\n    1..1\nok 1 - b # TODO\n1..1\n', '0 passed, 0 failed, 1 skipped'],
    [
      '    ok a\n    1..2\nok 1 - b\n1..1\n',
      '1 passed, 1 failed, 0 skipped',
      'null:null:null error b > the plan: planned 1..2, but 1 ran',
    ],
    ['    ok a\n    1..1\nnot ok 1 - b\n1..1\n', '1 passed, 1 failed, 0 skipped', 'null:null:null error b: b'],
    ['1..1\nnot ok a\n  ---\n  : : {\n  ...\n', '0 passed, 1 failed, 0 skipped', 'null:null:null error a: a'],
    [
      '1..1\nnot ok a\n  ---\n  message: no\n  file: t/a.t\n  line: 4\n  ...\n',
      '0 passed, 1 failed, 0 skipped',
      't/a.t:4:NaN error a: no'.replace('NaN', 'null'),
    ],
  ])('counts %j as %s', (text, ...said) => {
    expect(lines(readReport('tap', text))).toEqual(said);
  });
});

describe('the reader of JUnit', () => {
  it.each([
    ['<testsuites/>', '0 passed, 0 failed, 0 skipped'],
    [
      '<testsuite name="a" errors="1"><error message="no file"/></testsuite>',
      '0 passed, 1 failed, 0 skipped',
      'null:null:null error a: no file',
    ],
    [
      '<testsuites><testsuite file="a/b.php"><testsuite><testcase name="t" line="7"><failure>x</failure></testcase>' +
        '</testsuite></testsuite></testsuites>',
      '0 passed, 1 failed, 0 skipped',
      'a/b.php:7:null error t: x',
    ],
    [
      '<testsuite name="pytest"><testcase name="t" file="t.py" line="7"><failure message="no"/></testcase></testsuite>',
      '0 passed, 1 failed, 0 skipped',
      't.py:8:null error t: no',
    ],
    [
      '<testsuite><testcase name="t" status="disabled"><failure>x</failure></testcase></testsuite>',
      '0 passed, 0 failed, 1 skipped',
    ],
    [
      '<testsuite><testcase name="t"><failure/><error/></testcase></testsuite>',
      '0 passed, 1 failed, 0 skipped',
      'null:null:null error t: t',
    ],
  ])('reads %s', (text, ...said) => {
    expect(lines(readReport('junit', text))).toEqual(said);
  });
});

describe('the reader of SARIF', () => {
  const log = (run: object) =>
    JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: {} }, results: [], ...run }] });
  const at = (artifactLocation: object, region?: object) => [{ physicalLocation: { artifactLocation, region } }];
  const message = { text: 'x' };
  const sarif = (run: object) => lines(readReport('sarif', log(run), { workspace: '/shop' }));

  it('leaves out what is suppressed, passed or gone, and keeps what is under review', () => {
    const results = [
      { ruleId: 'a', message, suppressions: [{ status: 'accepted' }] },
      { ruleId: 'b', message, suppressions: [{}, { status: 'rejected' }] },
      { ruleId: 'c', message, kind: 'pass' },
      { ruleId: 'd', message, kind: 'notApplicable' },
      { ruleId: 'e', message, kind: 'open' },
      { ruleId: 'f', message, baselineState: 'absent' },
      { ruleId: 'g', message, level: 'none' },
    ];
    expect(sarif({ results })).toEqual([
      'null:null:null warning b: x',
      'null:null:null note e: x',
      'null:null:null note g: x',
    ]);
  });

  it('names files relative to the workspace if they are inside', () => {
    const uris = ['a%20b.c', './x/../a.c', 'file:///else/a.c', 'file:///shopping/a.c', 'file:///shop/a.c', '%E0%A4%A'];
    const results = uris.map((uri) => ({ message, level: 'error', locations: at({ uri, uriBaseId: '%SRCROOT%' }) }));
    expect(sarif({ results }).map((line) => line.split(':')[0])).toEqual([
      ...['a b.c', 'a.c', '/else/a.c', '/shopping/a.c', 'a.c', '%E0%A4%A'],
    ]);
  });

  it('finds the rule of a result in its component, and its message with its arguments', () => {
    const rule = {
      id: 'CA1',
      defaultConfiguration: { level: 'error' },
      messageStrings: { default: { text: 'no {0} in {1}, {2}' } },
    };
    const tool = { driver: { rules: [] }, extensions: [{ rules: [rule] }] };
    const given = { message: { id: 'default', arguments: ['tea', 'pot'] } };
    const said = 'null:null:null error CA1: no tea in pot, {2}';
    expect(sarif({ tool, results: [{ ...given, ruleId: 'CA1' }] })).toEqual([said]);
    expect(sarif({ tool, results: [{ ...given, rule: { id: 'CA1', toolComponent: { index: 0 } } }] })).toEqual([said]);
    const inDriver = { driver: { rules: [{ id: 'other' }, rule] } };
    expect(sarif({ tool: inDriver, results: [{ ...given, ruleId: 'CA1/7' }] })).toEqual([said.replace('CA1', 'CA1/7')]);
  });

  it('reads all runs', () => {
    const run = { tool: { driver: {} }, results: [{ message }] };
    expect(readReport('sarif', JSON.stringify({ version: '2.1.0', runs: [run, run] })).findings).toHaveLength(2);
    expect(readReport('sarif', JSON.stringify({ version: '2.1.0', runs: [] })).findings).toEqual([]);
  });
});

describe('the reader of tsc', () => {
  it('reads nothing as no findings, because tsc says nothing else', () => {
    expect(readReport('tsc', '')).toEqual({ findings: [], tests: null });
    expect(readReport('tsc', '> shop@1 check\n> tsc\n\n').findings).toEqual([]);
  });

  it('reads errors without a file', () => {
    const text = "error TS18003: No inputs were found in config file '/shop/tsconfig.json'.\n";
    expect(lines(readReport('tsc', text))).toEqual([expect.stringMatching(/^null:null:null error TS18003: No inputs/)]);
  });
});

describe('diagnostics of TAP', () => {
  it('are read without a warning of the process, whatever tags of YAML they have', async () => {
    const warned: string[] = [];
    const hear = ({ message }: Error) => void warned.push(message);
    process.on('warning', hear);
    const text = '1..1\nnot ok a\n  ---\n  message: !perl/x no\n  list:\n    - !a b\n  ...\n';
    expect(lines(readReport('tap', text))).toEqual(['0 passed, 1 failed, 0 skipped', 'null:null:null error a: no']);
    // Warnings are told in a later turn of the loop.
    await new Promise(setImmediate);
    process.off('warning', hear);
    expect(warned).toEqual([]);
  });

  it('are left out where they are long, and what is behind them counts', () => {
    const long = `  ---\n${'  a: b\n'.repeat(10_000)}  message: unread\n  ...\n`;
    const { findings, tests } = readReport('tap', `1..2\nnot ok a\n${long}not ok b\n  ---\n  message: read\n  ...\n`);
    expect([tests!.failed, findings.map(({ message }) => message.includes('unread')), findings[1]!.message]).toEqual([
      ...[2, [false, false], 'read'],
    ]);
  });
});

describe('large reports', () => {
  const MIB = 1024 * 1024;
  const filled = (mib: number, head: string, one: string, tail: string) =>
    head + one.repeat(Math.ceil((mib * MIB) / one.length)) + tail;
  const block = textOf('node.tap.txt').split('\n').slice(5, 31).join('\n');
  const error = "src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n  It is not.\n";
  const test =
    '<testcase name="a" classname="b.C"><failure message="x &amp; y">at &lt;b&gt;\n at c</failure></testcase>\n';
  const said = '{"severity":2,"message":"no","ruleId":"r","line":1,"column":1}';
  const result =
    '{"ruleId":"r/1","message":{"text":"no"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.c"}}}]}';

  // TAP has twice the time that tap-parser takes on a quiet core: 4 s for 8 MiB, and half of it for tests with
  // diagnostics. One of its rows is as long as a report can be; the others show that other tests cost no more.
  const LARGE = [
    ['tap', 2, 2_000, filled(2, '', '    not ok\n', `ok ${'x'.repeat(1_000_000)}\n1..9\n`), 100_000],
    ['tap', 2, 1_000, filled(2, 'TAP version 13\n', `${block}\n`, '1..9\n'), 2_500],
    ['tap', 8, 8_000, filled(8, '', 'not ok\n', '1..9\n'), 100_000],
    ['junit', 8, 2_000, filled(8, '<testsuite>', test, '</testsuite>'), 70_000],
    ['eslint', 8, 2_000, filled(8, '[{"filePath":"a.js","messages":[', `${said},`, `${said}]}]`), 100_000],
    ['tsc', 8, 2_000, filled(8, '', error, ''), 80_000],
    [
      ...(['sarif', 8, 2_000] as const),
      filled(8, '{"version":"2.1.0","runs":[{"tool":{"driver":{}},"results":[', `${result},`, `${result}]}]}`),
      70_000,
    ],
  ] as const;

  it.each(sample(LARGE, 3))(
    'are read in little time: %s of %i MiB, in %i ms at most',
    async (kind, _, ms, text, findings) => {
      const most = ms / REFERENCE_MS;
      const { result, cost } = await leastCostOf(most, () => readReport(kind, text));
      expect(result.findings.length).toBeGreaterThanOrEqual(findings);
      expect(cost).toBeLessThan(most);
    },
  );

  const HOSTILE = [
    '(',
    ':1',
    '(1,1',
    '\u001b[',
    '> a\n',
    '\n',
    '# ',
    '1..',
    'not ok # ',
    '    ',
    '[',
    '{"a":',
    '<a>',
    '&',
  ];

  it.each(sample(HOSTILE, 4))('take no more time where they are hostile: %j', async (part) => {
    const text = part.repeat(Math.ceil(MIB / part.length));
    const most = 4_000 / REFERENCE_MS;
    const { cost } = await leastCostOf(most, () => {
      for (const kind of READERS)
        for (const hostile of [text, `${text}\n`])
          try {
            readReport(kind, hostile);
          } catch {
            // Refused, which is as good.
          }
    });
    expect(cost).toBeLessThan(most);
  });

  it('have messages, rules and paths that are bounded', () => {
    const long = 'x'.repeat(10_000);
    const text = JSON.stringify([
      { filePath: long, messages: [{ severity: 2, ruleId: long, message: long, line: 0 }] },
    ]);
    const [finding] = readReport('eslint', text).findings;
    expect(finding).toMatchObject({ file: null, line: null, level: 'error' });
    expect([finding!.rule!.length, finding!.message.length]).toEqual([300, 1_000]);
  });
});
