/** The tables of docs/protocol.md, generated from those in src/gateway. */
import { type z } from 'zod';
import { ROWS } from '../../../src/gateway/network/documents.ts';
import { FRAMES } from '../../../src/gateway/protocol/frames.ts';
import { CLOSES } from '../../../src/gateway/protocol/protocol.ts';
import { TOPICS } from '../../../src/gateway/topics/topics.ts';

/** The page with its tables regenerated. */
export function withTables(page: string): string {
  const tables: Readonly<Record<string, string>> = {
    methods: methods(),
    topics: topics(),
    frames: frames(),
    closes: closes(),
  };
  return Object.entries(tables).reduce(
    (text, [name, body]) =>
      text.replace(new RegExp(`<!-- ${name} -->\n[^]*?<!-- end -->`), () => `<!-- ${name} -->\n${body}<!-- end -->`),
    page,
  );
}

function methods(): string {
  const cells = ROWS.map(([name, { means, params, http, scope, does }]) => [
    `\`${name}\``,
    fieldsOf(params),
    `\`${http.verb} ${http.path}\``,
    `\`${scope}\``,
    does === 'nothing' ? '' : does,
    means,
  ]);
  const examples = ROWS.map(
    ([m, { example }]) => `    ${JSON.stringify({ m, p: example.p })}\n    ${JSON.stringify(example.r)}\n`,
  );
  return (
    `${table(['method', 'parameters', 'HTTP', 'scope', 'does', 'what it does'], cells)}\nAn example each: the ` +
    `call, and \`r\` of its answer.\n\n${examples.join('')}`
  );
}

function topics(): string {
  return table(
    ['topic', 'mode', 'is'],
    TOPICS.map(({ topic, modes, means }) => [`\`${topic}\``, `\`${modes}\``, means]),
  );
}

function frames(): string {
  const side = (name: keyof typeof FRAMES) =>
    table(
      [`from the ${name}`, 'fields', 'means'],
      Object.entries(FRAMES[name]).map(([kind, { schema, means }]) => [`\`${kind}\``, fieldsOf(schema), means]),
    );
  return `${side('client')}\n${side('server')}`;
}

function closes(): string {
  return table(
    ['close', 'name', 'means', 'the client may'],
    Object.entries(CLOSES).map(([name, { code, means, then }]) => [String(code), name, means, then]),
  );
}

/** Names of fields; optional ones have a question mark. */
function fieldsOf(schema: z.ZodType): string {
  const options = (schema as { options?: readonly z.ZodObject[] }).options ?? [schema as z.ZodObject];
  const named = options.flatMap(({ shape }) =>
    Object.entries(shape).map(
      ([name, field]) => `\`${name}${field.safeParse(undefined).success && name !== 'r' && name !== 'd' ? '?' : ''}\``,
    ),
  );
  return [...new Set(named)].filter((name) => name !== '`t`').join(' ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
