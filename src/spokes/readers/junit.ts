/**
 * The report of a test runner in the XML of JUnit, which has no one schema: suites of cases, in which `failure`,
 * `error` and `skipped` are the results. sax reads it, because it is maintained, without dependencies (80 KB), and
 * knows nothing of declared entities, which are refused. (fast-xml-parser: 2.2 MB with its dependencies. saxes is four
 * times as fast, and had its last version in 2021.)
 */
import sax from 'sax';
import { type Report } from '../../machines/hub/report.ts';
import { failedTest, FILE_CHARS_MAX, type Found, findingOf, type Place, pointOf, type TestRun } from './finding.ts';

type Attributes = Readonly<Record<string, string>>;

const SUITES = new Set(['testsuite', 'testsuites']);
/** A suite fails as well, where it could not run its cases. */
const FAILURES = new Set(['failure', 'error']);

/** Characters of the text of a failure in which its place is looked for. */
const TEXT_CHARS_MAX = 16_000;

/** States of cases that did not count, in the words of several runners. */
const SKIPPED = new Set(['skipped', 'disabled', 'ignored', 'notrun', 'suppressed']);

/** A path of a source file, where runners put a class: no name of a class, and no title of a test, looks like it. */
const PATH = /^(?:[^\s/\\]*[/\\])+[^\s/\\]+\.\w{1,6}$|^[^\s/\\]+\.[cm]?[jt]sx?$/;

/** An element, with what is told of it in those within. */
interface Element {
  readonly name: string;
  readonly attributes: Attributes;
  readonly parent: Element | undefined;
  /** The file of it, or of the nearest suite around it that has one. */
  readonly file: string | undefined;
  text: string;
  failure: Element | undefined;
  isSkipped: boolean;
}

export function readJunit(text: string, workspace: string | undefined): Report {
  const { passed, failed, skipped } = resultsIn(text);
  const findings = failed.map((one) => findingOf(foundIn(one), workspace));
  return { findings, tests: { passed: passed.length, failed: failed.length, skipped: skipped.length } };
}

/** Reads the tests of a report with their names. Throws as the reader of reports does. */
export function testsInJunit(text: string): TestRun {
  const { passed, failed, skipped } = resultsIn(text);
  const failures = failed.map((one) => failedTest(nameOf(one), foundIn(one)));
  return { passed: passed.map(nameOf), failed: failures, skipped: skipped.map(nameOf) };
}

/** The suites and the class of a test before its name. */
function nameOf({ attributes: { name = '', classname = '' }, parent }: Element): string {
  const groups = classname === 'test' || classname === name ? [name] : [classname, name];
  for (let suite = parent; suite !== undefined; suite = suite.parent) groups.unshift(suite.attributes['name'] ?? '');
  return groups.filter((one, index) => one !== '' && one !== groups[index - 1]).join(' > ');
}

/** The elements that have a result, by it. */
function resultsIn(text: string): Record<'passed' | 'failed' | 'skipped', Element[]> {
  const elements = elementsOf(text);
  const root = elements.at(-1)?.name;
  if (root === undefined) throw new Error('it has no suite: it was cut');
  if (!SUITES.has(root)) throw new Error(`its root is <${root.slice(0, 100)}>`);
  const of = (result: string) => elements.filter((one) => resultOf(one) === result);
  const results = { passed: of('passed'), failed: of('failed'), skipped: of('skipped') };
  const claimed = elements.reduce((most, one) => Math.max(most, claimOf(one)), 0);
  if (claimed > 0 && results.failed.length === 0) throw new Error(`it counts ${claimed} failures and shows none`);
  return results;
}

/** The elements of a text in the order of their ends: the root is the last one. */
function elementsOf(text: string): Element[] {
  const elements: Element[] = [];
  let current: Element | undefined;
  const parser = sax.parser(true);
  parser.onerror = (error) => {
    throw new Error(error.message.replaceAll('\n', ', ').toLowerCase());
  };
  parser.onopentag = ({ name, attributes }) => {
    current = elementIn(current, name, attributes as Attributes);
  };
  parser.onclosetag = () => {
    elements.push(current!);
    current = current!.parent;
  };
  parser.ontext = parser.oncdata = (said) => {
    if (current !== undefined) current.text += said;
  };
  parser.write(text).close();
  return elements;
}

/** An element that begins, in another one if it is not the root, which it tells its result. */
function elementIn(parent: Element | undefined, name: string, attributes: Attributes): Element {
  const isSkipped = SKIPPED.has(attributes['status'] ?? '') || SKIPPED.has(attributes['result'] ?? '');
  const file = attributes['file'] ?? parent?.file;
  const element: Element = { name, attributes, parent, file, text: '', failure: undefined, isSkipped };
  if (parent !== undefined && FAILURES.has(name)) parent.failure ??= element;
  if (parent !== undefined && name === 'skipped') parent.isSkipped = true;
  return element;
}

function isPath(text: string): boolean {
  return text.length <= FILE_CHARS_MAX && PATH.test(text);
}

/** The result of a case, or of a suite that could not run its cases; null for other elements. */
function resultOf({ name, failure, isSkipped }: Element): 'passed' | 'failed' | 'skipped' | null {
  if (name === 'testcase' && isSkipped) return 'skipped';
  if (failure !== undefined) return 'failed';
  return name === 'testcase' ? 'passed' : null;
}

/** The failures that a suite claims to have. */
function claimOf({ attributes: { failures = '0', errors = '0' } }: Element): number {
  return Number(failures) + Number(errors);
}

function foundIn({ attributes: held, failure, parent, file: named }: Element): Found {
  const { classname: given = '', name: title = '' } = held;
  const suite = parent?.attributes['name'] ?? '';
  const file = named ?? [given, suite].find(isPath);
  // The class of node --test is always "test", and that of Jest is the whole title.
  const prefix = given === 'test' || isPath(given) || given === '' || given === title ? '' : `${given} > `;
  // pytest counts lines from 0.
  const line = Number(held['line']) + (suite === 'pytest' ? 1 : 0);
  const { attributes, text } = failure!;
  const { message: said = '', type = title } = attributes;
  // Some runners have the message "Failed", and say more in the text.
  const message = (said !== '' && text.includes(said) ? said : `${said}\n${text}`.trim()) || type;
  return { rule: prefix + title, level: 'error', message, file, line, ...placeIn(text, file) };
}

/** The place at which a test failed, if the text of the failure names it: in the file of the test, or in any. */
function placeIn(text: string, file: string | undefined): Place {
  const words = text.slice(0, TEXT_CHARS_MAX).split(/[\s()'"<>]+/);
  const points = words.map(pointOf).filter((point) => point.file !== undefined);
  if (file === undefined) return points.find((point) => isSource(point.file!)) ?? {};
  const own = points.find((point) => point.file!.endsWith(file));
  return own === undefined ? {} : { ...own, file };
}

function isSource(file: string): boolean {
  return isPath(file) && !/^(?!file:).*:|node_modules/.test(file);
}
