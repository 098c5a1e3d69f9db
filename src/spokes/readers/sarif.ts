/**
 * The report of an analysis in SARIF 2.1.0 (OASIS): the results of its runs, except for those that are suppressed or no
 * longer there, and errors of the tool itself. Rules are found by their ids and artifacts by their URIs, not by
 * indexes; base URIs are not followed. The levels of rules are their defaults: changes that an invocation has made to
 * them are not read.
 */
import { z } from 'zod';
import { type Finding, type Report } from '../../machines/hub/report.ts';
import { type Found, findingOf, MESSAGE_CHARS_MAX, parsedJson, pathOf } from './finding.ts';

const text = z.string().optional();
const level = z.enum(['none', 'note', 'warning', 'error']).optional();
const message = z.object({ text, id: text, arguments: z.array(z.string()).default([]) });
const artifact = z.object({ uri: z.string().default('') });
const place = z.unknown().optional();
const region = z.object({ startLine: place, startColumn: place }).optional();
const physicalLocation = z.object({ artifactLocation: artifact.optional(), region }).optional();
const rule = z.object({
  id: z.string(),
  messageStrings: z.record(z.string(), message).default({}),
  defaultConfiguration: z.object({ level }).optional(),
});
const component = z.object({ rules: z.array(rule).default([]) });
const reference = z.object({ id: text }).optional();
/** A result of a run, or a notification of the tool about itself, which names its kind by `descriptor`. */
const result = z.object({
  ...{ ruleId: text, rule: reference, descriptor: reference },
  ...{ level, message, kind: z.string().default('fail'), baselineState: text },
  locations: z.array(z.object({ physicalLocation })).default([]),
  suppressions: z.array(z.object({ status: z.string().default('accepted') })).default([]),
});
const notifications = z.array(result).default([]);
const invocation = z.object({
  executionSuccessful: z.boolean().optional(),
  ...{ toolExecutionNotifications: notifications, toolConfigurationNotifications: notifications },
});
const run = z.object({
  tool: z.object({ driver: component, extensions: z.array(component).default([]) }),
  results: z.array(result, { error: 'no results: the run did not look for any, or its report is not whole' }),
  invocations: z.array(invocation).default([]),
});
const log = z.object({ version: z.literal('2.1.0'), runs: z.array(run) });

type Result = z.output<typeof result>;
type Rule = z.output<typeof rule>;

export function readSarif(said: string, workspace: string | undefined): Report {
  const found = parsedJson(said, log).runs.flatMap(foundIn);
  return { findings: found.map((one) => findingOf(one, workspace)), tests: null };
}

function foundIn({ tool, results, invocations }: z.output<typeof run>): Found[] {
  const told = invocations
    .flatMap((each) => [...each.toolExecutionNotifications, ...each.toolConfigurationNotifications])
    .filter((each) => each.level === 'error');
  if (told.length === 0 && invocations.some(({ executionSuccessful }) => executionSuccessful === false))
    throw new Error('the tool says that it did not succeed, and not why');
  const rules = new Map([tool.driver, ...tool.extensions].flatMap((each) => each.rules.map((one) => [one.id, one])));
  return [...results.filter(isOpen), ...told].map((given) => {
    const name = given.ruleId ?? given.rule?.id ?? given.descriptor?.id ?? '';
    // An id may have further parts: CA1000/1.
    const known = rules.get(name) ?? rules.get(name.slice(0, Math.max(0, name.lastIndexOf('/'))));
    const { artifactLocation, region: at } = given.locations[0]?.physicalLocation ?? {};
    const place = {
      file: artifactLocation && pathOf(artifactLocation.uri),
      line: at?.startLine,
      column: at?.startColumn,
    };
    return { rule: name, level: levelOf(given, known), message: textOf(given, known), ...place };
  });
}

function isOpen({ kind, baselineState, suppressions }: Result): boolean {
  if (kind === 'pass' || kind === 'notApplicable' || baselineState === 'absent') return false;
  return suppressions.length === 0 || suppressions.some(({ status }) => status !== 'accepted');
}

function levelOf({ kind, level: said }: Result, known: Rule | undefined): Finding['level'] {
  const found = said ?? known?.defaultConfiguration?.level ?? 'warning';
  return kind !== 'fail' || found === 'none' ? 'note' : found;
}

/** The text of a message: its own, or that of its rule, in which `{0}` is the first argument. */
function textOf({ message: { text: said, id = '', arguments: given } }: Result, known: Rule | undefined): string {
  const whole = said ?? new Map(Object.entries(known?.messageStrings ?? {})).get(id)?.text ?? id;
  // Bounded before, because many results may have one text with many places for an argument.
  const argument = (all: string, at: string) => given[Number(at)]?.slice(0, MESSAGE_CHARS_MAX) ?? all;
  return whole.slice(0, MESSAGE_CHARS_MAX + 1).replace(/\{(\d{1,3})\}/g, argument);
}
