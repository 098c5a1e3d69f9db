/**
 * The report of a test runner in the XML of JUnit, which has no one schema: suites of cases, in which `failure`,
 * `error` and `skipped` are the results. sax reads it, because it is maintained, without dependencies (80 KB), and
 * knows nothing of declared entities, which are refused. (fast-xml-parser: 2.2 MB with its dependencies. saxes is four
 * times as fast, and had its last version in 2021.)
 */
import sax from 'sax';
import { type Finding, type Report } from '../../machines/hub/report.ts';
import { FILE_CHARS_MAX, findingOf, type Place, pointOf } from './finding.ts';

type Attributes = Readonly<Record<string, string>>;

const SUITES = new Set(['testsuite', 'testsuites']);
/** A suite fails as well, where it could not run its cases. */
const FAILURES = new Set(['failure', 'error']);

/** Characters of the text of a failure in which its place is looked for. */
const BODY_CHARS_MAX = 16_000;

/** States of cases that did not count, in the words of several runners. */
const SKIPPED = new Set(['skipped', 'disabled', 'ignored', 'notrun', 'suppressed']);

/** A path of a source file, where runners put a class: no name of a class, and no title of a test, looks like it. */
const PATH = /^(?:[^\s/\\]*[/\\])+[^\s/\\]+\.\w{1,6}$|^[^\s/\\]+\.[cm]?[jt]sx?$/;

/** A failure of a case or of a suite. */
interface Failure {
  readonly attributes: Attributes;
  body: string;
}

/** An open case or suite. */
interface Holder {
  readonly name: string;
  readonly attributes: Attributes;
  failure: Failure | null;
  isSkipped: boolean;
}

export function readJunit(text: string, workspace: string | undefined): Report {
  const reader = new JunitReader(workspace);
  const parser = sax.parser(true);
  parser.onerror = (error) => {
    throw new Error(error.message.replaceAll('\n', ', ').toLowerCase());
  };
  parser.onopentag = ({ name, attributes }) => {
    reader.open(name, attributes as Attributes);
  };
  parser.onclosetag = (name) => {
    reader.close(name);
  };
  parser.ontext = parser.oncdata = (said) => {
    reader.text(said);
  };
  parser.write(text).close();
  return reader.report();
}

class JunitReader {
  readonly #workspace: string | undefined;
  readonly #findings: Finding[] = [];
  readonly #counts = { passed: 0, failed: 0, skipped: 0 };
  readonly #holders: Holder[] = [];
  /** Failures that any suite claims to have, and those that are there. */
  #claimed = 0;
  #shown = 0;
  /** The failure whose text is read. */
  #current: Failure | null = null;
  #isBegun = false;

  constructor(workspace: string | undefined) {
    this.#workspace = workspace;
  }

  open(name: string, attributes: Attributes): void {
    if (!this.#isBegun && !SUITES.has(name)) throw new Error(`its root is <${name.slice(0, 100)}>`);
    this.#isBegun = true;
    const holder = this.#holders.at(-1);
    if (SUITES.has(name) || name === 'testcase') {
      const isSkipped = [attributes['status'], attributes['result']].some((one) => SKIPPED.has(one ?? ''));
      this.#holders.push({ name, attributes, failure: null, isSkipped });
      this.#claimed = Math.max(this.#claimed, count(attributes, 'failures') + count(attributes, 'errors'));
    } else if (holder !== undefined && FAILURES.has(name)) {
      this.#current = { attributes, body: '' };
      holder.failure ??= this.#current;
      this.#shown++;
    } else if (name === 'skipped' && holder !== undefined) holder.isSkipped = true;
  }

  text(said: string): void {
    if (this.#current !== null) this.#current.body += said;
  }

  close(name: string): void {
    if (FAILURES.has(name)) this.#current = null;
    if (this.#holders.at(-1)?.name !== name) return;
    const holder = this.#holders.pop()!;
    if (name === 'testcase') this.#counts[resultOf(holder)]++;
    else if (holder.failure !== null) this.#counts.failed++;
    if (holder.failure !== null && !(name === 'testcase' && holder.isSkipped))
      this.#findings.push(this.#findingOf(holder, holder.failure));
  }

  report(): Report {
    if (!this.#isBegun) throw new Error('it has no suite: it was cut');
    if (this.#claimed > 0 && this.#shown === 0) throw new Error(`it counts ${this.#claimed} failures and shows none`);
    return { findings: this.#findings, tests: { ...this.#counts } };
  }

  #findingOf({ attributes: held }: Holder, { attributes, body }: Failure): Finding {
    const given = held['classname'] ?? '';
    const suite = this.#holders.at(-1)?.attributes ?? {};
    const named = this.#holders.findLast(({ attributes: outer }) => outer['file'] !== undefined)?.attributes['file'];
    const file = held['file'] ?? named ?? [given, suite['name'] ?? ''].find(isPath);
    const title = held['name'] ?? '';
    // The class of node --test is always "test", and that of Jest is the whole title.
    const prefix = given === 'test' || isPath(given) || given === '' || given === title ? '' : `${given} > `;
    // pytest counts lines from 0.
    const line = Number(held['line'] ?? Number.NaN) + (suite['name'] === 'pytest' ? 1 : 0);
    const message = messageOf(attributes['message'] ?? '', body.trim()) || (attributes['type'] ?? title);
    return findingOf(
      { rule: prefix + title, level: 'error', message, file, line, column: null, ...placeIn(body, file) },
      this.#workspace,
    );
  }
}

function isPath(text: string): boolean {
  return text.length <= FILE_CHARS_MAX && PATH.test(text);
}

function resultOf({ failure, isSkipped }: Holder): 'passed' | 'failed' | 'skipped' {
  if (isSkipped) return 'skipped';
  return failure === null ? 'passed' : 'failed';
}

/** The message of a failure, with its text where that says more: some runners have the message "Failed". */
function messageOf(said: string, body: string): string {
  return said !== '' && body.includes(said) ? said : `${said}\n${body}`.trim();
}

function count(attributes: Attributes, name: string): number {
  const given = Number(attributes[name] ?? 0);
  return Number.isSafeInteger(given) ? given : 0;
}

/** The place at which a test failed, if the text of the failure names it: in the file of the test, or in any. */
function placeIn(body: string, file: string | undefined): Place {
  for (const word of body.slice(0, BODY_CHARS_MAX).split(/[\s()'"<>]+/)) {
    const point = pointOf(word);
    if (!point.file) continue;
    if (file !== undefined && point.file.endsWith(file)) return { ...point, file };
    const isSource = isPath(point.file) && (!point.file.includes(':') || point.file.startsWith('file:'));
    if (file === undefined && isSource && !point.file.includes('node_modules')) return point;
  }
  return {};
}
