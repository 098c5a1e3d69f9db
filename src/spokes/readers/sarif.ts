/**
 * The report of an analysis in SARIF 2.1.0 (OASIS): the results of its runs, except for those that are suppressed or no
 * longer there, and errors of the tool itself. The levels of rules are their defaults: changes that an invocation has
 * made to them are not read.
 */
import { z } from 'zod';
import { type Finding, type Report } from '../../machines/hub/report.ts';
import { FILE_CHARS_MAX, findingOf, MESSAGE_CHARS_MAX, parsedJson, type Place } from './finding.ts';

const text = z.string().optional();
const number = z.number().optional();
const level = z.enum(['none', 'note', 'warning', 'error']).optional();
const message = z.object({ text, markdown: text, id: text, arguments: z.array(z.string()).optional() });
const artifact = z.object({ uri: text, uriBaseId: text, index: number });
const region = z.object({ startLine: number, startColumn: number }).optional();
const physicalLocation = z.object({ artifactLocation: artifact.optional(), region }).optional();
const rule = z.object({
  id: z.string(),
  messageStrings: z.record(z.string(), message).optional(),
  defaultConfiguration: z.object({ level }).optional(),
});
const component = z.object({ guid: text, rules: z.array(rule).default([]) });
const reference = z.object({
  id: text,
  index: number,
  toolComponent: z.object({ index: number, guid: text }).optional(),
});
/** A result of a run, or a notification of the tool about itself, which names its kind by `descriptor`. */
const result = z.object({
  ...{ ruleId: text, ruleIndex: number, level, message, kind: text, baselineState: text },
  ...{ rule: reference.optional(), descriptor: reference.optional() },
  locations: z.array(z.object({ physicalLocation })).default([]),
  suppressions: z.array(z.object({ status: text })).default([]),
});
const notifications = z.array(result).default([]);
const invocation = z.object({
  executionSuccessful: z.boolean().optional(),
  ...{ toolExecutionNotifications: notifications, toolConfigurationNotifications: notifications },
});
const run = z.object({
  tool: z.object({ driver: component, extensions: z.array(component).default([]) }),
  results: z.array(result, { error: 'no results: the run did not look for any, or its report is not whole' }),
  artifacts: z.array(z.object({ location: artifact.optional() })).default([]),
  originalUriBaseIds: z.record(z.string(), artifact).default({}),
  invocations: z.array(invocation).default([]),
});
const log = z.object({ version: z.literal('2.1.0'), runs: z.array(run) });

type Run = z.output<typeof run>;
type Result = z.output<typeof result>;
type Rule = z.output<typeof rule>;
type Artifact = z.output<typeof artifact>;

/** Kinds of results that are no findings. */
const FINE = new Set(['pass', 'notApplicable']);

/** Base URIs that lead from one to another: more of them are a circle. */
const BASES_MAX = 20;

export function readSarif(said: string, workspace: string | undefined): Report {
  const { runs } = parsedJson(said, log);
  return { findings: runs.flatMap((one) => findingsOf(one, workspace)), tests: null };
}

function findingsOf(one: Run, workspace: string | undefined): Finding[] {
  const { tool, results, invocations } = one;
  const told = invocations
    .flatMap((each) => [...each.toolExecutionNotifications, ...each.toolConfigurationNotifications])
    .filter((each) => each.level === 'error');
  if (told.length === 0 && invocations.some(({ executionSuccessful }) => executionSuccessful === false))
    throw new Error('the tool says that it did not succeed, and not why');
  const [driver, ...extensions] = [tool.driver, ...tool.extensions].map(rulesOf);
  return [...results.filter(isOpen), ...told].map((given) => {
    const { index = -1, guid } = given.rule?.toolComponent ?? {};
    const extension = extensions[index] ?? extensions.find((each) => guid !== undefined && each.guid === guid);
    const known = ruleOf(extension ?? driver!, given);
    const name = given.ruleId ?? given.rule?.id ?? known?.id ?? given.descriptor?.id;
    const message = textOf(given, known);
    return findingOf({ rule: name, level: levelOf(given, known), message, ...placeOf(one, given) }, workspace);
  });
}

function isOpen({ kind = 'fail', baselineState, suppressions }: Result): boolean {
  if (FINE.has(kind) || baselineState === 'absent') return false;
  return suppressions.length === 0 || suppressions.some(({ status = 'accepted' }) => status !== 'accepted');
}

/** The rules of a component of a tool, in their order and by their ids. */
function rulesOf({ rules, guid }: z.output<typeof component>) {
  return { rules, guid, byId: new Map(rules.map((one) => [one.id, one])) };
}

/** The rule of a result: by its index in its component, or by its id, which may have further parts: `CA1000/1`. */
function ruleOf({ rules, byId }: ReturnType<typeof rulesOf>, given: Result): Rule | undefined {
  const id = given.ruleId ?? given.rule?.id ?? '';
  const byIndex = rules[given.rule?.index ?? given.ruleIndex ?? -1];
  return byIndex ?? byId.get(id) ?? byId.get(id.slice(0, Math.max(0, id.lastIndexOf('/'))));
}

function levelOf({ kind = 'fail', level: said }: Result, known: Rule | undefined): Finding['level'] {
  const found = said ?? known?.defaultConfiguration?.level ?? 'warning';
  return kind !== 'fail' || found === 'none' ? 'note' : found;
}

/** The text of a message: its own, or that of its rule, in which `{0}` is the first argument. */
function textOf({ message: given }: Result, known: Rule | undefined): string {
  const strings = new Map(Object.entries(known?.messageStrings ?? {}));
  const whole = given.text ?? strings.get(given.id ?? '')?.text ?? given.markdown ?? given.id ?? '';
  // Bounded before, because many results may have one text with many places for an argument.
  const argument = (all: string, at: string) => given.arguments?.[Number(at)]?.slice(0, MESSAGE_CHARS_MAX) ?? all;
  return whole.slice(0, MESSAGE_CHARS_MAX + 1).replace(/\{(\d{1,3})\}/g, argument);
}

function placeOf({ artifacts, originalUriBaseIds }: Run, { locations: [first] }: Result): Place {
  const { artifactLocation: given, region: at } = first?.physicalLocation ?? {};
  const location = given?.uri === undefined ? artifacts[given?.index ?? -1]?.location : given;
  const file = location === undefined ? undefined : fileOf(location, originalUriBaseIds);
  return { file, line: at?.startLine, column: at?.startColumn };
}

/** The path of an artifact. One whose base is not told stays relative: bases are the roots of what was analysed. */
function fileOf({ uri, uriBaseId }: Artifact, bases: Readonly<Record<string, Artifact>>): string | undefined {
  let base: string | undefined = uriBaseId;
  for (let left = BASES_MAX; left > 0 && uri !== undefined && base !== undefined && !isWhole(uri); left--) {
    const named: Artifact | undefined = Object.hasOwn(bases, base) ? bases[base] : undefined;
    if (named?.uri !== undefined && named.uri.length <= FILE_CHARS_MAX) uri = `${named.uri.replace(/\/$/, '')}/${uri}`;
    base = named?.uriBaseId;
  }
  if (uri === undefined || uri.length > FILE_CHARS_MAX || isWhole(uri)) return uri;
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

/** Whether a URI has a scheme. */
function isWhole(uri: string): boolean {
  return /^[a-z][a-z\d+.-]+:/i.test(uri);
}
