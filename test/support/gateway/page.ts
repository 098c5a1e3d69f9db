/** The tables of docs/protocol.md, generated from those in src/gateway. */
import { ROWS } from '../../../src/gateway/network/documents.ts';
import { fieldsOf, markdownTable, methodsText } from '../../../src/gateway/network/methods-page.ts';
import { FRAMES } from '../../../src/gateway/protocol/frames.ts';
import { CLOSES } from '../../../src/gateway/protocol/protocol.ts';
import { TOPICS } from '../../../src/gateway/topics/topics.ts';

/** The page with its tables regenerated. */
export function withTables(page: string): string {
  const tables: Readonly<Record<string, string>> = {
    methods: methodsText(ROWS),
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

function topics(): string {
  return markdownTable(
    ['topic', 'mode', 'is'],
    TOPICS.map(({ topic, modes, means }) => [`\`${topic}\``, `\`${modes}\``, means]),
  );
}

function frames(): string {
  const side = (name: keyof typeof FRAMES) =>
    markdownTable(
      [`from the ${name}`, 'fields', 'means'],
      Object.entries(FRAMES[name]).map(([kind, { schema, means }]) => [`\`${kind}\``, fieldsOf(schema), means]),
    );
  return `${side('client')}\n${side('server')}`;
}

function closes(): string {
  return markdownTable(
    ['close', 'name', 'means', 'the client may'],
    Object.entries(CLOSES).map(([name, { code, means, then }]) => [String(code), name, means, then]),
  );
}
