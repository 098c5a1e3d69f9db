/** The report of ESLint: the JSON of `eslint -f json`. */
import { z } from 'zod';
import { type Report } from '../../machines/hub/report.ts';
import { findingOf, parsedJson } from './finding.ts';

const message = z.object({
  ruleId: z.string().nullish(),
  severity: z.union([z.literal(1), z.literal(2)]),
  message: z.string(),
  line: z.unknown().optional(),
  column: z.unknown().optional(),
});
const results = z.array(z.object({ filePath: z.string(), messages: z.array(message) }));

export function readEslint(text: string, workspace: string | undefined): Report {
  const findings = parsedJson(text, results).flatMap(({ filePath, messages }) => {
    // ESLint calls its standard input <text>.
    const file = filePath.startsWith('<') ? null : filePath;
    return messages.map(({ ruleId, severity, ...said }) =>
      findingOf({ ...said, file, rule: ruleId, level: severity === 2 ? 'error' : 'warning' }, workspace),
    );
  });
  return { findings, tests: null };
}
