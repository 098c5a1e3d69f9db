/**
 * Counts the way of `bosun run` from `runCommand` to the first task, as somebody goes it who reads the code: in stays.
 * A stay begins where control enters a file, by a call or by a return into it, and lasts until control is in another
 * file that counts. `--list` prints the stays, `--src DIR` counts in other sources, such as those of an earlier commit.
 * Exits with 1 above STAYS_MAX.
 *
 * The files that count are those that put a run together: all of `src/cli`, and `src/crew-*.ts`, which joins a plan
 * with the functions of its user. Kernel (`shard.ts` and `system-*.ts` are its face), machines, store, gateway and
 * leaves are rooms behind a door: they are called and return, and how they do it is no part of the way. What they call
 * back does count. A call that is awaited is one step, however often its function waits meanwhile.
 *
 * Two ways are counted: into an empty directory, and into one that holds the plan, which was interrupted.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { transformSync } from 'rolldown/utils';
import ts from 'typescript';

/** As many as can be followed in one go. When it was first counted, the way had 81, and 89 where a plan is held. */
const STAYS_MAX = 45;

const COUNTED = /^(cli\/|crew-)/;
const ROOT = resolve(import.meta.dirname, '..');
const PLAN = 'version: 1\nplan: way\ncapacity: { work: 1 }\nagents: ./agents.mjs\ntasks: [{ id: only, agent: work }]\n';
const AGENTS = 'export const work = () => globalThis.wayOfRun.arrived();\n';

const { values: options } = parseArgs({
  options: { src: { type: 'string', default: join(ROOT, 'src') }, list: { type: 'boolean', default: false } },
});
const src = resolve(options.src);
// Below the repository, so that packages are found.
mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true });
const folder = mkdtempSync(join(ROOT, 'node_modules/.cache/way-of-run-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Paths of files whose functions tell when they are entered, by number. */
const marked = [];
/** Called with the number of a file that is entered. */
let enter = () => {};
/** Called by the first task. */
let arrive = () => {};
globalThis.wayOfRun = {
  enter: (id) => enter(id),
  back(value, id) {
    enter(id);
    return value;
  },
  arrived: () => arrive(),
};

const [run, report] = ['run-command.ts', 'run-report.ts'].map((name) => first([`cli/run/${name}`, `cli/${name}`]));
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
writeFileSync(join(folder, 'agents.mjs'), AGENTS);
writeFileSync(join(folder, 'plan.yaml'), PLAN);
copy([run, report]);
const [{ runCommand }, { plainReporter }] = await Promise.all([run, report].map((path) => import(urlOf(path))));

const isTooLong = [
  ['into an empty directory', await wayOf('data')],
  ['on from an interruption', await wayOf('data')],
].map(([name, stays]) => {
  process.stdout.write(`${name}: ${stays.length} stays in ${new Set(stays).size} files, of at most ${STAYS_MAX}\n`);
  if (options.list) process.stdout.write(`${stays.map((path, index) => `${index + 1} ${path}`).join('\n')}\n\n`);
  return stays.length > STAYS_MAX;
});
process.exit(isTooLong.includes(true) ? 1 : 0);

/** Runs the plan until its first task, which never ends and is interrupted. */
async function wayOf(data) {
  const stays = [];
  const stop = new AbortController();
  let isUnderWay = true;
  let said = '';
  const sink = { write: (text) => ((said += text), true) };
  const reporter = plainReporter(sink, sink);
  enter = (id) => {
    if (isUnderWay && stays.at(-1) !== marked[id]) stays.push(marked[id]);
  };
  arrive = () => {
    isUnderWay = false;
    stop.abort();
    return new Promise(() => {});
  };
  await runCommand({
    ...{ file: 'plan.yaml', data, cwd: folder, env: {}, out: sink, err: sink, reporter, interrupt: stop.signal },
    ...{ fresh: false, wait: false, trustWallClock: false },
  });
  if (isUnderWay) throw new Error(`the task was never reached: ${said}`);
  return stays;
}

function first(paths) {
  return paths.find((path) => ts.sys.fileExists(join(src, path)));
}

function urlOf(path) {
  return pathToFileURL(join(folder, 'src', path.replace(/\.ts$/, '.js')));
}

/** Writes the files and all that they import, without types; those that count with marks. */
function copy(paths) {
  const seen = new Set(paths);
  for (const path of seen) {
    const code = without(path).replace(/((?:from|import|import\() ?["']\.[^"']+)\.ts(["'])/g, '$1.js$2');
    const to = join(folder, 'src', path.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, code);
    for (const [, imported] of code.matchAll(/(?:from|import|import\() ?["'](\.[^"']+)\.js["']/g))
      seen.add(relative(src, resolve(src, dirname(path), `${imported}.ts`)));
  }
}

/** The code of a file without its types. */
function without(path) {
  const text = readFileSync(join(src, path), 'utf8');
  if (!COUNTED.test(path)) return transformSync(path, text, { typescript: { onlyRemoveTypeImports: true } }).code;
  const id = marked.push(path) - 1;
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true };
  const transformers = {
    before: [
      ({ factory }) =>
        (source) =>
          withMarks(source, id, factory),
    ],
  };
  return ts.transpileModule(text, { fileName: path, compilerOptions, transformers }).outputText;
}

/** A source whose functions tell that they are entered, and calls, constructors and awaits that they are back. */
function withMarks(source, id, factory) {
  const mark = (name, ...values) =>
    factory.createCallExpression(factory.createIdentifier(`globalThis.wayOfRun.${name}`), undefined, [
      ...values,
      factory.createNumericLiteral(id),
    ]);
  const visit = (node) => {
    if (ts.isTypeNode(node)) return node;
    const done = ts.visitEachChild(node, visit, undefined);
    if (ts.isArrowFunction(done) && !ts.isBlock(done.body)) {
      const body = factory.createParenthesizedExpression(factory.createComma(mark('enter'), done.body));
      const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken: arrow } = done;
      return factory.updateArrowFunction(done, modifiers, typeParameters, parameters, type, arrow, body);
    }
    if (ts.isBlock(done) && ts.isFunctionLike(node.parent))
      return factory.updateBlock(done, [factory.createExpressionStatement(mark('enter')), ...done.statements]);
    return comesBack(node) ? mark('back', done) : done;
  };
  return ts.visitEachChild(source, visit, undefined);
}

/** Whether control comes back after a node. Calls within `a?.b()` cannot be told, and awaited ones are one step. */
function comesBack(node) {
  if (ts.isNewExpression(node) || ts.isAwaitExpression(node)) return true;
  if (!ts.isCallExpression(node) || ts.isAwaitExpression(node.parent)) return false;
  const { kind } = node.expression;
  const isOwn = kind === ts.SyntaxKind.SuperKeyword || kind === ts.SyntaxKind.ImportKeyword;
  return !isOwn && !(node.flags & ts.NodeFlags.OptionalChain);
}
