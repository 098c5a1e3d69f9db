/**
 * The page of the public API: every export of the package in a line, with the first sentence of its docstring. Made by
 * the compiler from the entry points that package.json names.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '../..');

const HEAD = `# Public API

Every export of the package, by the path that it is imported from, with the first sentence of its docstring. The rest
(shapes, units, defaults, errors) stands in the editor, beside the name. The page is written by
\`npx vitest run test/api-page.test.ts -u\`.
`;

/** An export without a sentence of its own. */
interface Undocumented {
  readonly module: string;
  readonly name: string;
}

/** @returns The page, and its exports without a docstring. */
export function apiPage(): { readonly text: string; readonly undocumented: readonly Undocumented[] } {
  const entries = entryPoints();
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    compilerOptions(),
  );
  const checker = program.getTypeChecker();
  const undocumented: Undocumented[] = [];
  const sections = entries.map(({ module, file }) => {
    const source = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
    const rows = checker
      .getExportsOfModule(source)
      .map((exported) => {
        const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
        const sentence = firstSentence(ts.displayPartsToString(symbol.getDocumentationComment(checker)));
        if (sentence === '') undocumented.push({ module, name: exported.name });
        return `| \`${exported.name}\` | ${kindOf(symbol)} | ${sentence} |`;
      })
      .toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    return [`## ${module}`, '', '| name | is | what |', '|---|---|---|', ...rows, ''].join('\n');
  });
  return { text: [HEAD, ...sections].join('\n'), undocumented };
}

/** The entry points of the package, and the source of each. */
function entryPoints(): readonly { readonly module: string; readonly file: string }[] {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, { readonly '@bosun/source'?: string } | string>>;
  };
  return Object.entries(exports).flatMap(([path, targets]) => {
    const source = typeof targets === 'string' ? undefined : targets['@bosun/source'];
    return source === undefined ? [] : [{ module: name + path.slice(1), file: join(ROOT, source) }];
  });
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => readFileSync(file, 'utf8')) as {
    readonly config: { readonly compilerOptions: object };
  };
  return { ...ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT).options, noEmit: true };
}

/** One word for the kind of an export: the value's if a name is both a value and a type. */
function kindOf({ flags }: ts.Symbol): string {
  if (flags & ts.SymbolFlags.Class) return 'class';
  if (flags & ts.SymbolFlags.Function) return 'function';
  if (flags & ts.SymbolFlags.Variable) return 'value';
  return flags & ts.SymbolFlags.Interface ? 'interface' : 'type';
}

/** The first sentence, in a form that fits a table's cell. */
function firstSentence(text: string): string {
  const [paragraph = ''] = text.split(/\n\s*\n/);
  const line = paragraph.replaceAll(/\s+/g, ' ').trim();
  return (/^.*?[.!?](?= |$)/.exec(line)?.[0] ?? line).replaceAll('|', '\\|');
}
