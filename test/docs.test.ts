/**
 * The documentation is true: its examples run, its plans parse, its tables match the code, what it links to and names
 * exists. In a block of TypeScript, `console.log(...) // -> text` says what the line prints.
 */
import { slugOf } from '../site/slug.ts';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatWithOptions } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../src/cli/exit-codes.ts';
import { readHubFile } from '../src/cli/hubs/hub-file.ts';
import { readPlanFile } from '../src/cli/files/plan-file.ts';
import { ERROR_CODES } from '../src/error-codes.ts';
import { LONG } from './support/effort.ts';
import { UserFolder } from './support/user-folder.ts';
import { Repository } from './support/git/repository.ts';

const ROOT = resolve(import.meta.dirname, '..');

const FOLDERS = [
  '.',
  'docs',
  'docs/decisions',
  'examples/quick-start',
  'examples/delivery',
  'examples/equity-research',
  'examples/embedded-crew',
  'examples/fix-and-verify',
];

interface Block {
  /** `docs/agents.md:12`. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
}

const pages = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);
const blocks = pages.flatMap(blocksIn);
const examples = blocks.filter(({ language }) => language === 'ts');

describe('examples in TypeScript', () => {
  const cwd = process.cwd();
  let folder: UserFolder | undefined;
  const moduleOf = (block: Block) => join(folder!.path, nameOf(block));

  // The examples have their files in the working directory.
  beforeAll(() => {
    folder = new UserFolder(Object.fromEntries(examples.map((block) => [nameOf(block), block.text])));
    process.chdir(folder.path);
  });
  afterAll(() => {
    process.chdir(cwd);
    folder?.[Symbol.dispose]();
  });

  it.each(examples)('$place prints what it says', async (block) => {
    const printed: string[] = [];
    const log = vi
      .spyOn(console, 'log')
      .mockImplementation((...args: unknown[]) => void printed.push(formatWithOptions({}, ...args)));
    try {
      await import(/* @vite-ignore */ pathToFileURL(moduleOf(block)).href);
    } finally {
      log.mockRestore();
    }
    const said = [...block.text.matchAll(/console\.log\(.*\/\/ -> (.*)$/gm)].map(([, text]) => text);
    expect(printed).toEqual(said);
  });

  it('are correct TypeScript under the rules of this repository', LONG, () => {
    const file = join(ROOT, 'tsconfig.json');
    const { config } = ts.readConfigFile(file, (path) => readFileSync(path, 'utf8')) as { config: object };
    const { options } = ts.parseJsonConfigFileContent(
      config,
      ts.sys,
      ROOT,
      { incremental: false, customConditions: [] },
      file,
    );
    // Without the condition of the sources: against the declarations that users get.
    const program = ts.createProgram(examples.map(moduleOf), options);
    const wrong = examples.flatMap((block) => {
      const source = program.getSourceFile(moduleOf(block))!;
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
        ({ messageText, start = 0 }) =>
          `${block.place}, line ${source.getLineAndCharacterOfPosition(start).line + 1}: ` +
          `${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      );
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    ['README.md', 'examples/quick-start/main.ts'],
    ['docs/embedding.md', 'examples/embedded-crew/service.ts'],
  ])('include in %s the code of %s', (page, file) => {
    const [, main] = /^\/\*\*.*\*\/\n([^]*)$/.exec(readFileSync(join(ROOT, file), 'utf8'))!;
    expect(examples.filter(({ place }) => place.startsWith(page)).map(({ text }) => text)).toContain(main);
  });
});

describe('plans', () => {
  const written = blocks.filter(({ language }) => language === 'yaml');
  const isHub = ({ text }: Block) => /^hub: /m.test(text);

  /** Reads a block as a file of its own. */
  async function readAs<Source>(text: string, read: (of: { file: string; cwd: string }) => Promise<Source>) {
    // Agents that change files get a worktree of its repository.
    const { path: directory } = new Repository();
    const file = join(directory, 'written.yaml');
    writeFileSync(file, text);
    return read({ file, cwd: ROOT }).finally(() => rmSync(directory, { recursive: true }));
  }

  it.each(written.filter(isHub))('$place is a valid run of a hub', async ({ text }) => {
    expect(Object.keys((await readAs(text, readHubFile)).order.agents)).not.toEqual([]);
  });

  it.each(written.filter((block) => !isHub(block)))('$place is a valid plan', async ({ place, text }) => {
    const { plan } = await readAs(text, readPlanFile);
    expect(plan.tasks.length, place).toBeGreaterThan(0);
  });

  it('are documented in docs/plan-file.md with exactly the fields of the schema', () => {
    const schema = JSON.parse(textOf('schema/plan.schema.json')) as Schema;
    expect(firstCells('docs/plan-file.md', 'field').sort()).toEqual(fieldsOf(schema).sort());
  });
});

describe('tables', () => {
  it('list all error codes: docs/errors.md equals src/errors.ts', () => {
    const documented = rowsOf('docs/errors.md', 'code').map(([code, means, retryable]) => [
      code!.replaceAll('`', ''),
      means,
      retryable,
    ]);
    const thrown = Object.entries(ERROR_CODES).map(([code, { means, retryable }]) => [
      code,
      means.replaceAll('|', '\\|'),
      retryable ? 'yes' : 'no',
    ]);
    expect(documented).toEqual(thrown);
  });

  it('list all exit codes: README.md equals src/cli/exit-codes.ts', () => {
    expect(firstCells('README.md', 'exit code').map(Number)).toEqual(Object.values(EXIT));
  });

  it('list all promises: docs/semantics.md says how far each promise holds', () => {
    const promises = rowsOf('docs/semantics.md', 'promise');
    expect(promises.map(([name]) => name!.replace(/^\[(.*)\]\(.*\)$/, '$1'))).toEqual(
      [...'1 2 3 4 5 6 6b 7 8 9 10 11 12 13'.split(' ')].map((n) => `P${n}`),
    );
    expect(promises.filter(([, , today]) => !/^(holds|partly|not yet)$/.test(today ?? ''))).toEqual([]);
  });
});

describe('pages', () => {
  it('have no broken links', () => {
    expect(pages.flatMap(brokenLinks)).toEqual([]);
  });

  it('are all in the index by task, docs/README.md', () => {
    const linked = new Set([...textOf('docs/README.md').matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link!));
    const missing = pages
      .filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== 'docs/README.md')
      .filter((page) => !linked.has(page.replace('docs/', '')));
    expect(missing).toEqual([]);
  });

  it('name files that exist', () => {
    const missing = pages.flatMap((page) =>
      [...textOf(page).matchAll(/`((?:src|test|docs|examples|bench|schema|\.ci)\/[\w./*-]*[\w*/])`/g)]
        .map(([, path]) => path!)
        .filter((path) => !existsSync(join(ROOT, path.replace(/\/?\*+$/, ''))))
        .map((path) => `${page}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('show exactly the folders of src in ARCHITECTURE.md, two levels deep', () => {
    const map = blocks.find(({ place, text }) => place.startsWith('ARCHITECTURE.md') && text.startsWith('src/'))!.text;
    const drawn: string[] = [];
    let top = '';
    for (const line of map.split('\n').filter((text) => text !== '')) {
      const folder = line.trim().split('/')[0]!;
      if (!line.startsWith(' ')) top = folder;
      drawn.push(line.startsWith(' ') ? `${top}/${folder}` : folder);
    }
    const present = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /^\w+\/.*\.tsx?$/.test(path))
      .flatMap((path) => [path.split('/')[0]!, dirname(path).split('/').slice(0, 2).join('/')]);
    expect(drawn.slice(1).sort()).toEqual([...new Set(present)].sort());
  });

  it('keep decision records to one page', () => {
    const long = pages.filter(
      (page) => page.startsWith('docs/decisions/') && textOf(page).trimEnd().split('\n').length > 40,
    );
    expect(long).toEqual([]);
  });
});

function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function nameOf({ place }: Block): string {
  return `${place.replaceAll(/\W+/g, '-')}.ts`;
}

function blocksIn(page: string): Block[] {
  const text = textOf(page);
  return [...text.matchAll(/^```(\w*).*\n([^]*?)^```$/gm)].map(({ 1: language = '', 2: body = '', index }) => ({
    place: `${page}:${text.slice(0, index).split('\n').length}`,
    language,
    text: body,
  }));
}

/** Rows of the tables of a page whose first column has this head. */
function rowsOf(page: string, head: string): string[][] {
  const rows: string[][] = [];
  let inside = false;
  for (const line of textOf(page).split('\n')) {
    const cells = line.startsWith('|')
      ? line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim())
      : [];
    if (cells.length === 0) inside = false;
    else if (cells[0] === head) inside = true;
    else if (inside && !/^:?-+:?$/.test(cells[0]!)) rows.push(cells);
  }
  return rows;
}

function firstCells(page: string, head: string): string[] {
  return rowsOf(page, head).map(([cell]) => cell!.replaceAll('`', ''));
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}

/** `stages.*.retry.attempts`, `tasks[].run`. */
function fieldsOf(node: Schema, prefix = ''): string[] {
  const own = Object.entries(node.properties ?? {}).flatMap(([name, below]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return [path, ...fieldsOf(below, path)];
  });
  const each = typeof node.additionalProperties === 'object' ? fieldsOf(node.additionalProperties, `${prefix}.*`) : [];
  const item = node.items === undefined ? [] : fieldsOf(node.items, `${prefix}[]`);
  return [...own, ...each, ...item];
}

function brokenLinks(page: string): string[] {
  const prose = textOf(page)
    .replaceAll(/^```[^]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^(https?|mailto):/.test(link) && !isThere(page, link))
    .map((link) => `${page}: ${link}`);
}

function isThere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
  if (!existsSync(join(ROOT, target))) return false;
  if (anchor === undefined || !target.endsWith('.md')) return true;
  return (
    [...textOf(target).matchAll(/^#+ (.*)$/gm)].some(([, title]) => slugOf(title!) === anchor) ||
    textOf(target).includes(`<a id="${anchor}">`)
  );
}
