/**
 * The form of actors as a house rule, asked of the type checker: which files read a field of a cell or a state, be it
 * by a name, by a text in brackets or by destructuring. Their form can change in the rooms that keep it, because all
 * others ask the questions that a cell answers.
 */
import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** The rooms that keep the form of actors. */
const ROOMS = /^src\/actors\/(?:model|world|turn)\//;

/** Files that are handed states as data, and why. */
const HANDED: Readonly<Record<string, string>> = {
  'src/actors/xstate/': 'step engines make snapshots of states and states of snapshots: below the cells, by the port',
  'src/persistence/': 'records on disk have the fields of states, by the port',
  'src/actors/loop/versions/': 'a migration makes the state of another version',
};

/** Files that need not be read: they may import neither states nor cells (test/tidy.test.ts), or hold systems alone. */
const WITHOUT_ACTORS = /^src\/(?:client|inspector|knowledge|machines|spokes|supervisor|cli)\/|^src\/crew/;

/** Records of which an actor is made. None of their properties is read elsewhere; a whole one may be handed on. */
const RECORDS = ['ActorState', 'Identity', 'Held', 'Trail', 'EffectCheckpoint'];

/** Types that are asked: an actor, and its image that readers see. Their methods, accessors and constants are read. */
const ASKED = ['Cell', 'Standing', 'Image', 'ActorImage'];

const FORMS = new Set([...RECORDS, ...ASKED]);

/** A file that exists in the program alone: each of its lines from the fifth on breaks the rule once. */
const PROBE = 'src/actors/loop/probe.ts';
const PROBE_TEXT = `import { type Cell } from '../world/cell.ts';
export function probe(cell: Cell): unknown[] {
  let seq = cell.seq;
  const asked = [cell.address, cell.ref, cell.state, cell.isRunnable, cell.durable?.suspension, { attempt: 1 }];
  asked.push(cell.state.seq);
  asked.push(cell.durable?.state['hash']);
  const { state: { status } } = cell;
  asked.push([cell.identity].map(({ address }) => address));
  ({ seq } = cell.state);
  asked.push(cell.queued);
  cell.suspension = undefined;
  asked.push(cell.held!.order);
  const attemptOf = ({ attempt = 0 }: Pick<typeof cell.state, 'attempt'>) => attempt;
  return [asked, status, seq, attemptOf];
}`;

const program = programOfSources();
const checker = program.getTypeChecker();
const names = namesOfForms();

it('reads the form of an actor only in the rooms that keep it: others ask its cell', () => {
  const files = program.getSourceFiles().filter((file) => isReader(pathOf(file)));
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(readsIn)).toEqual([]);
});

it('finds each way to read a field, and leaves questions alone', () => {
  expect(readsIn(program.getSourceFile(join(ROOT, PROBE))!)).toEqual([
    `${PROBE}:5: ActorState.seq`,
    `${PROBE}:6: ActorState.hash`,
    `${PROBE}:7: ActorState.status`,
    `${PROBE}:8: Identity.address`,
    `${PROBE}:9: ActorState.seq`,
    `${PROBE}:10: Cell.queued`,
    `${PROBE}:11: Standing.suspension`,
    `${PROBE}:12: Held.order`,
    `${PROBE}:13: ActorState.attempt`,
  ]);
});

function programOfSources(): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const paths = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path}`)
    .filter((path) => path.endsWith('.ts') && !WITHOUT_ACTORS.test(path));
  const host = ts.createCompilerHost(options, true);
  const { getSourceFile } = host;
  host.getSourceFile = (path, ...rest) =>
    path.endsWith(PROBE) ? ts.createSourceFile(path, PROBE_TEXT, rest[0], true) : getSourceFile(path, ...rest);
  const rootNames = [...paths, PROBE].map((path) => join(ROOT, path));
  return ts.createProgram(rootNames, { ...options, incremental: false }, host);
}

function isReader(path: string): boolean {
  if (!path.startsWith('src/') || path === PROBE || WITHOUT_ACTORS.test(path) || ROOMS.test(path)) return false;
  return !Object.keys(HANDED).some((place) => path.startsWith(place));
}

function pathOf(file: ts.SourceFile): string {
  return relative(ROOT, file.fileName);
}

function readsIn(file: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = fieldAt(node);
    if (name !== undefined) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${pathOf(file)}:${line + 1}: ${name}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The field that a node reads or sets, with its type; undefined where it touches none. */
function fieldAt(node: ts.Node): string | undefined {
  const property = propertyAt(node);
  const field = property?.declarations?.find((declaration) => formOf(declaration) !== undefined);
  if (property === undefined || field === undefined) return undefined;
  return isQuestion(field) && !isSet(node) ? undefined : `${formOf(field)!}.${property.name}`;
}

function propertyAt(node: ts.Node): ts.Symbol | undefined {
  if (ts.isPropertyAccessExpression(node)) return memberOf(node.expression, node.name);
  if (ts.isElementAccessExpression(node)) return memberOf(node.expression, node.argumentExpression);
  if (ts.isBindingElement(node) && node.dotDotDotToken === undefined)
    return memberOf(node.parent, node.propertyName ?? node.name);
  // Destructuring into variables that are there already.
  if (!ts.isShorthandPropertyAssignment(node) && !ts.isPropertyAssignment(node)) return undefined;
  const { parent } = node.parent;
  if (ts.isBinaryExpression(parent) && parent.left === node.parent) return memberOf(parent.right, node.name);
  return undefined;
}

function memberOf(owner: ts.Node, key: ts.Node): ts.Symbol | undefined {
  if (!ts.isIdentifier(key) && !ts.isStringLiteralLike(key)) return undefined;
  // Few names are fields: only where there is one has its owner a type that is worth asking for.
  if (!names.has(key.text)) return undefined;
  return checker.getPropertyOfType(checker.getNonNullableType(checker.getTypeAtLocation(owner)), key.text);
}

/** The form that declares a property; undefined if none does. */
function formOf({ parent }: ts.Declaration): string | undefined {
  if (!ts.isInterfaceDeclaration(parent) && !ts.isClassDeclaration(parent)) return undefined;
  const name = parent.name?.text;
  return name !== undefined && FORMS.has(name) && ROOMS.test(pathOf(parent.getSourceFile())) ? name : undefined;
}

/** Whether a property may be read: a method, an accessor or a constant of a type that is asked. */
function isQuestion(property: ts.Declaration): boolean {
  if (RECORDS.includes(formOf(property)!)) return false;
  const isField = ts.isPropertyDeclaration(property) || ts.isPropertySignature(property);
  return !isField || (ts.getCombinedModifierFlags(property) & ts.ModifierFlags.Readonly) > 0;
}

function isSet(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isPrefixUnaryExpression(parent) || ts.isPostfixUnaryExpression(parent))
    return parent.operator === ts.SyntaxKind.PlusPlusToken || parent.operator === ts.SyntaxKind.MinusMinusToken;
  return (
    ts.isBinaryExpression(parent) &&
    parent.left === node &&
    parent.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    parent.operatorToken.kind <= ts.SyntaxKind.LastAssignment
  );
}

/** The names of all fields and questions of the forms. */
function namesOfForms(): Set<string> {
  const found = new Set<string>();
  for (const file of program.getSourceFiles()) {
    if (!ROOMS.test(pathOf(file))) continue;
    for (const statement of file.statements) {
      if (!ts.isInterfaceDeclaration(statement) && !ts.isClassDeclaration(statement)) continue;
      for (const { name } of statement.members)
        if (FORMS.has(statement.name!.text) && name !== undefined && ts.isIdentifier(name)) found.add(name.text);
    }
  }
  return found;
}
