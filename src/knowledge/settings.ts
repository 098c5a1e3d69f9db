/**
 * Configuration to statements: JSON, YAML, TOML, INI and properties, key by key with the path of each. The readers are
 * forgiving: they look for keys and their lines and refuse nothing, because a file need not be valid to be quoted.
 * Pure.
 */
import { ABOUT_CHARS_MAX, STATEMENT_CHARS_MAX } from './limits.ts';
import { type Statement } from './statement.ts';

/** Keys of a path that are kept, the last ones: deeper files are data, and each statement has its path. */
const PATH_KEYS_MAX = 20;

/** Characters of a section's name and of a block's head; keys are short. */
const HEAD_CHARS_MAX = 200;

/** Characters up to which a text counts as a value. */
const VALUE_CHARS_MAX = 300;

/** Matches the head of a block: `mail` of `mail {`, `location /health` of `location /health {`. */
const BLOCK = /^[^{}=:]{1,80}$/;

/** Matches command lines, which state nothing. */
const COMMAND = /&&|\|\||(?:^|\s)--?[a-z][\w-]*|\$[({]/;

/** Matches a token of JSON; a text or a comment that does not end lasts to the end of its line, or of the file. */
const JSON_TOKEN = new RegExp(
  String.raw`\n|"(?:[^"\\\n]|\\.)*(?:"|\\?(?=\n|$))|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*$)|[{}[\],:]|` +
    String.raw`[^\s{}[\],:"]+`,
  'g',
);

/** Matches a comment, an instruction or an element of XML, with its text; the first group is taken whole. */
const XML_TOKEN = new RegExp(
  String.raw`\n|<!--(?:[\s\S]*?-->|[\s\S]*$)|<\?[^>]*(?:>|$)|<(?=([^\s<>!?]{1,200}))\1[^<>]{0,2000}>` +
    String.raw`(?:([^<>\n]+)<\/\1>)?`,
  'g',
);

/** Reads JSON, with or without comments. */
export function statementsOfJson(text: string): Statement[] {
  const statements: Statement[] = [];
  /** The keys of open objects; a number counts the items of an open array. */
  const path: (string | number)[] = [];
  let line = 1;
  let key: string | undefined;
  const tell = (value: string, at: number) => {
    const last = path.at(-1);
    // Each key stands before a mark of what it opens.
    const names = path.slice(-2 * PATH_KEYS_MAX).filter((part) => typeof part === 'string' && part !== '') as string[];
    if (key !== undefined) statements.push(setting(names, key, value, at));
    else if (typeof last === 'number' && names.length > 0)
      statements.push(setting(names.slice(0, -1), names.at(-1)!, value, at));
    key = undefined;
  };
  const tokens = [...text.matchAll(JSON_TOKEN)].map(([token]) => token);
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token === '\n') line += 1;
    else if (token.startsWith('//') || token.startsWith('/*')) line += token.split('\n').length - 1;
    else if (token === '{' || token === '[') {
      if (key !== undefined) path.push(key);
      path.push(token === '[' ? 0 : '');
      key = undefined;
    } else if (token === '}' || token === ']') {
      path.pop();
      if (typeof path.at(-1) === 'string' && path.at(-1) !== '') path.pop();
    } else if (token === ',' || token === ':') continue;
    else if (key === undefined && token.startsWith('"') && next(tokens, index) === ':') key = unquoted(token);
    else tell(unquoted(token), line);
  }
  return statements;
}

function next(tokens: readonly string[], index: number): string | undefined {
  let at = index + 1;
  while (tokens[at] === '\n') at += 1;
  return tokens[at];
}

/** Reads YAML by the indentation of its keys. A list item belongs to the key above it. */
export function statementsOfYaml(text: string): Statement[] {
  const statements: Statement[] = [];
  const open: { readonly indent: number; readonly key: string }[] = [];
  text.split(/\r?\n/).forEach((whole, index) => {
    const body = withoutComment(whole);
    if (body.trim() === '') {
      if (whole.trim().startsWith('#')) statements.push(comment(whole, index + 1));
      return;
    }
    const [, spaces, dash, rest] = /^(\s*)((?:- +)*|-$)(.*)$/s.exec(body)!;
    const [, name, value] = /^("[^"]+"|'[^']+'|[^\s:#][^:#]*?):(?:\s+(.*))?$/s.exec(rest!) ?? [];
    const indent = spaces!.length + dash!.length;
    while (open.length > 0 && open.at(-1)!.indent >= (dash === '' ? indent : spaces!.length + 1)) open.pop();
    const names = open.slice(-PATH_KEYS_MAX).map(({ key }) => key);
    if (name !== undefined) {
      const key = unquoted(name);
      if (value !== undefined && value !== '') statements.push(setting(names, key, unquoted(value), index + 1, whole));
      else open.push({ indent, key });
    } else if (dash !== '' && names.length > 0) {
      statements.push(setting(names.slice(0, -1), names.at(-1)!, unquoted(rest!), index + 1, whole));
    }
  });
  return statements;
}

/**
 * Reads TOML, INI, HOCON and properties files: sections, blocks in braces, keys with `=` or `:`, and list items on
 * lines of their own.
 */
export function statementsOfToml(text: string): Statement[] {
  const statements: Statement[] = [];
  let section: string[] = [];
  const blocks: string[] = [];
  let list: string | undefined;
  text.split(/\r?\n/).forEach((whole, index) => {
    const body = withoutComment(whole).trim();
    if (body === '') {
      if (/^\s*[#;]/.test(whole)) statements.push(comment(whole, index + 1));
      return;
    }
    const header = /^\[{1,2}([^[\]]+)\]{1,2}$/.exec(body);
    if (header !== null) {
      section = (header[1]!.slice(0, HEAD_CHARS_MAX).match(/"[^"]*"|[^."]+/g) ?? []).map(unquoted);
      list = undefined;
      return;
    }
    const block = blockOf(body);
    if (block !== undefined) return void blocks.push(block);
    if (body === '}') return void blocks.pop();
    const path = [...section, ...blocks.slice(-PATH_KEYS_MAX)];
    if (list !== undefined) {
      for (const item of itemsOf(body)) statements.push(setting(path, list, item, index + 1, whole));
      if (body.includes(']')) list = undefined;
      return;
    }
    const [, name, value] = /^("[^"]+"|[\w.\-/]+)\s*[=:]\s*(.*)$/.exec(body) ?? [];
    if (name === undefined || value === undefined) return;
    if (value.startsWith('[')) {
      for (const item of itemsOf(value)) statements.push(setting(path, unquoted(name), item, index + 1, whole));
      if (!value.includes(']')) list = unquoted(name);
    } else statements.push(setting(path, unquoted(name), unquoted(value), index + 1, whole));
  });
  return statements;
}

/** Reads XML: elements with text, named by the path of elements around them. */
export function statementsOfXml(text: string): Statement[] {
  const statements: Statement[] = [];
  const open: string[] = [];
  let line = 1;
  for (const [token, tag, value] of text.matchAll(XML_TOKEN)) {
    if (token === '\n') line += 1;
    else if (tag === undefined) line += token.split('\n').length - 1;
    else if (value !== undefined) statements.push(setting(open, tag, value.trim(), line, token));
    else if (tag.startsWith('/')) open.splice(Math.max(0, open.lastIndexOf(tag.slice(1))));
    else if (!token.endsWith('/>')) open.push(tag);
  }
  return statements;
}

function setting(path: readonly string[], name: string, value: string, line: number, shown?: string): Statement {
  const about = aboutOf(path);
  const text = (shown ?? `${name}: ${value}`).trim().slice(0, STATEMENT_CHARS_MAX);
  const isText = value.length > VALUE_CHARS_MAX || /^[^{[]\S*(?: \S+){4,}$/.test(value);
  // A long value is a sentence that happens to stand under a key.
  const form = COMMAND.test(value) ? 'code' : 'sentence';
  const said = value.slice(0, STATEMENT_CHARS_MAX);
  if (isText) return { form, line, text: said, about: aboutOf([...path, name]), name: '', value: '' };
  return { form: 'setting', line, text, about, name, value };
}

function aboutOf(path: readonly string[]): string {
  return path.slice(-PATH_KEYS_MAX).join(' ').slice(-ABOUT_CHARS_MAX);
}

/** The head of the block that a line opens. */
function blockOf(body: string): string | undefined {
  if (!body.endsWith('{')) return undefined;
  const head = body.slice(0, -1).trimEnd().replace(/[=:]$/, '').trimEnd();
  return BLOCK.test(head) ? head : undefined;
}

function comment(whole: string, line: number): Statement {
  return { form: 'comment', line, text: whole.trim().slice(0, STATEMENT_CHARS_MAX), about: '', name: '', value: '' };
}

function itemsOf(list: string): string[] {
  return [...list.matchAll(/"([^"]*)"|'([^']*)'|([\w.-]+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare!,
  );
}

function withoutComment(line: string): string {
  return line.replace(/(^|\s)[#;](?:\s.*|$)|^\s*#.*/s, '$1');
}

function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1,?$/, '$2');
}
