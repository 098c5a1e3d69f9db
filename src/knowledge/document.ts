/**
 * A file as a document: which kind of source it is by its path and its own words, what each of its statements can
 * show, and its passages. Pure.
 */
import { type EvidenceKind, givesOrders, type SourceType } from '../machines/answers/evidence.ts';
import { statementsOfCode } from './code.ts';
import { ORDER_LINES_NEAR, PASSAGE_LINES_MAX } from './limits.ts';
import { hasDependencyLines, withDependencies } from './manifests.ts';
import { statementsOfProse } from './prose.ts';
import { statementsOfJson, statementsOfToml, statementsOfXml, statementsOfYaml } from './settings.ts';
import { type Passage, type Statement } from './statement.ts';

/** A statement with the strongest kind of evidence that it can be, whatever is asked. */
export interface RankedStatement extends Statement {
  readonly kind: EvidenceKind;
}

export interface DocumentPassage extends Passage {
  readonly statements: readonly RankedStatement[];
}

export interface Document {
  readonly file: string;
  readonly type: SourceType;
  readonly passages: readonly DocumentPassage[];
}

const PROSE = /\.(?:md|mdx|markdown|txt|rst|adoc)$|(?:^|\/)(?:README|LICENSE|AUTHORS|OWNERS)$/i;
const JSON_LIKE = /\.(?:json|jsonc|json5|webmanifest)$|(?:^|\/)\.\w+rc$/i;
const YAML_LIKE = /\.ya?ml$/i;
const TOML_LIKE = /\.(?:toml|ini|cfg|conf|properties|service|editorconfig)$|(?:^|\/)\.(?:editorconfig|npmrc)$/i;
const XML_LIKE = /\.(?:xml|csproj|props)$/i;

/** Matches folders of decision records, and names of such files. */
const DECISIONS =
  /(?:^|\/)(?:adrs?|decisions?|decision[-_]records?|rfcs?)\/|(?:^|\/)(?:adr|rfc|decision)[-_]?\d[^/]*$/i;
const PLANS = /(?:^|\/)(?:plan|plans|roadmap|milestones)(?:[-_.][^/]*)?$|(?:^|\/)plans?\//i;
const REQUIREMENTS = /(?:^|\/)(?:prd|product|requirements|specs?|features)(?:[-_.][^/]*)?\.(?:md|txt|rst|adoc)$/i;

/** Matches sources about the past, plans or alternatives. They count as mentions only. */
const ASIDE = new RegExp(
  String.raw`(?:^|\/)(?:changelog|changes|history|news|todo|ideas|ecosystem|awesome|adopters|showcase|comparison|` +
    String.raw`licen[cs]e|copying)\b[^/]*$|(?:^|\/)(?:examples?|` +
    String.raw`samples?|fixtures?|testdata|vendor|third_party|node_modules|schemas?)\/|[./]schema\.json$|` +
    String.raw`(?:^|\/)(?:openapi|swagger|asyncapi)[^/]*$`,
  'i',
);

/** Matches tests and benchmarks. Their imports show use, but their settings are their own. */
const TRIAL = new RegExp(
  String.raw`(?:^|\/)(?:tests?|__tests__|specs?|e2e|bench(?:marks?)?)\/|[._-](?:test|spec|bench)\.\w+$|` +
    String.raw`_test\.\w+$|(?:^|\/)test_[^/]*$`,
  'i',
);

/** Matches headings of sections in which nothing is decided. */
const OPEN_SECTION = new RegExp(
  String.raw`\b(?:options?|alternatives?|context|background|problem|pros|cons|open|ideas?|questions?|` +
    String.raw`rejected|todo|someday|later|out of scope|non-goals?|history|candidates|comparison|` +
    String.raw`faq)\b`,
  'i',
);
/** Matches headings that negate a heading of decisions. */
const PASSED_SECTION = /\bnot (?:chosen|taken|done|decided)\b/i;
const CHOSEN_SECTION = /\b(?:decisions?|choices?|outcome|resolution|chosen|conclusion|consequences|decided)\b/i;

/** Matches an entry in a list of links: it tells what others have made. */
const ENTRY_OF_LINKS = /^\[[^\]]+\]\(https?:/;

/** Matches keys that describe a project for search engines. */
const LABEL_KEY = /^(?:keywords|tags|topics|classifiers|description)$/i;

const SETTLED = /\b(?:accepted|approved|adopted|decided|implemented|final|active|agreed)\b/i;
const UNSETTLED = /\b(?:rejected|superseded|deprecated|proposed|draft|withdrawn|obsolete|replaced|pending)\b/i;

/** Reads a file into statements and passages. */
export function documentOf(file: string, text: string): Document {
  const statements = statementsOf(file, text);
  const isPlan = PLANS.test(file);
  const isDecision = DECISIONS.test(file);
  const isSettled = !isDecision || isAccepted(statements);
  const hasChosen = statements.some(({ about }) => isChosen(sectionOf(about)));
  const ranked = statements.map((statement): RankedStatement => {
    const kind = kindOf(statement, {
      isAside: ASIDE.test(file),
      isTrial: TRIAL.test(file),
      isDecision,
      isPlan,
      isSettled,
      hasChosen,
    });
    return { ...statement, kind };
  });
  return { file, type: typeOf(file), passages: passagesOf(withoutOrders(ranked, isDecision)) };
}

interface Standing {
  readonly isAside: boolean;
  readonly isTrial: boolean;
  readonly isDecision: boolean;
  readonly isPlan: boolean;
  readonly isSettled: boolean;
  readonly hasChosen: boolean;
}

function kindOf({ form, name, about, text }: Statement, standing: Standing): EvidenceKind {
  if (standing.isAside || form === 'comment' || form === 'code') return 'mentioned';
  if (form === 'setting' && LABEL_KEY.test(name)) return 'mentioned';
  if (form === 'sentence' && ENTRY_OF_LINKS.test(text)) return 'mentioned';
  if (form === 'import') return 'used';
  if (standing.isTrial) return 'mentioned';
  const section = form === 'title' ? '' : sectionOf(about);
  const isProse = form === 'sentence' || form === 'row' || form === 'title';
  if (standing.isDecision) {
    const isSaid = !standing.hasChosen || isChosen(section) || form === 'title';
    return standing.isSettled && isSaid && !isOpen(section) && !OPEN_SECTION.test(form === 'title' ? text : '')
      ? 'decided'
      : 'mentioned';
  }
  if (isProse && (isOpen(section) || form === 'title')) return 'mentioned';
  return standing.isPlan ? 'decided' : 'declared';
}

function sectionOf(about: string): string {
  return about.split(' > ').at(-1)!;
}

function isChosen(title: string): boolean {
  return CHOSEN_SECTION.test(title) && !PASSED_SECTION.test(title);
}

function isOpen(section: string): boolean {
  return PASSED_SECTION.test(section) || (OPEN_SECTION.test(section) && !isChosen(section));
}

/** Whether a decision record is in force: it is, unless a line, its front matter or a heading says otherwise. */
function isAccepted(statements: readonly Statement[]): boolean {
  const said = statements.filter(
    ({ form, name, about, text }) =>
      /^status$/i.test(name) ||
      (form === 'sentence' && (/(?:^|> )status$/i.test(about) || /^\**status\**:/i.test(text))),
  );
  const status = said.map(({ text }) => text).join(' ');
  return !UNSETTLED.test(status) || (SETTLED.test(status) && !/\bsuperseded\b/i.test(status));
}

function statementsOf(file: string, text: string): readonly Statement[] {
  return withDependencies(file, text, readerOf(file, text)(text));
}

function readerOf(file: string, text: string): (text: string) => readonly Statement[] {
  if (JSON_LIKE.test(file) && /^\s*[{[]/.test(text)) return statementsOfJson;
  if (YAML_LIKE.test(file)) return statementsOfYaml;
  if (TOML_LIKE.test(file)) return statementsOfToml;
  if (XML_LIKE.test(file)) return statementsOfXml;
  return PROSE.test(file) && !hasDependencyLines(file) ? statementsOfProse : statementsOfCode;
}

function typeOf(file: string): SourceType {
  if (DECISIONS.test(file) || PLANS.test(file)) return 'plan';
  return REQUIREMENTS.test(file) || PROSE.test(file) ? 'prd' : 'code';
}

/** Splits statements under one heading or key into passages of limited length. */
function passagesOf(statements: readonly RankedStatement[]): DocumentPassage[] {
  const groups: RankedStatement[][] = [];
  for (const statement of statements) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const isLabel = last?.form === 'comment' && statement.form === 'constant';
    const isNew = last === undefined || (last.about !== statement.about && !isLabel) || statement.form === 'title';
    // A heading opens the passage of what stands under it.
    const isUnder = last?.form === 'title' && group?.length === 1;
    if (group === undefined || (isNew && !isUnder) || group.length >= PASSAGE_LINES_MAX) groups.push([statement]);
    else group.push(statement);
  }
  return groups.map((group) => ({
    text: group.map(({ about, text }, index) => (index === 0 ? `${about} ${text}` : text)).join('\n'),
    statements: group,
  }));
}

/** Turns instructions to the reader, and statements near them, into mentions; in a decision record, all statements. */
function withoutOrders(statements: readonly RankedStatement[], isDecision: boolean): readonly RankedStatement[] {
  const orders = statements.filter(({ text }) => givesOrders(text)).map(({ line }) => line);
  if (orders.length === 0) return statements;
  const near = new Set<number>();
  for (const line of orders) for (let by = -ORDER_LINES_NEAR; by <= ORDER_LINES_NEAR; by += 1) near.add(line + by);
  return statements.map((statement) => {
    const isNear = near.has(statement.line);
    return isNear || isDecision ? { ...statement, kind: 'mentioned' } : statement;
  });
}
