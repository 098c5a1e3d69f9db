/**
 * Documents of several scopes in one index, and the evidence in them for a question. Passages that are most like the
 * question are judged statement by statement: for a choice by `option-rules`, for an open question by `value-rules`.
 */
import { EXCERPT_CHARS_MAX, type Evidence, type Retrieve } from '../machines/answers/evidence.ts';
import { plainLine } from '../plain-text.ts';
import { Coverage, type PassageTerms, passageTermsOf } from './coverage.ts';
import { type Document, type DocumentPassage } from './document.ts';
import { type Finding, type Judgeable } from './finding.ts';
import { usesFramework } from './frameworks.ts';
import { NAMED_JUDGED_MAX, PASSAGES_JUDGED_MAX, TERMS_MAX } from './limits.ts';
import { choiceOf, type OptionAsked, optionAsked, optionFindingsOf } from './option-findings.ts';
import { questionOf, type Question } from './question.ts';
import { TextIndex } from './text-index.ts';
import { answersIn, valueFindingOf } from './value-findings.ts';

/** Most findings kept for one option: further ones repeat them. */
const PER_OPTION_MAX = 6;

interface Held {
  readonly id: number;
  readonly scope: string;
  readonly document: Document;
  readonly passage: DocumentPassage;
}

export class Finder {
  readonly #index = new TextIndex();
  readonly #held = new Map<number, Held>();
  readonly #files = new Map<string, number[]>();
  #lastId = 0;

  get passageCount(): number {
    return this.#held.size;
  }

  /** Whether the index has as many different words as a thread has memory for. */
  get isFull(): boolean {
    return this.#index.termCount >= TERMS_MAX;
  }

  /** Adds a document, or replaces the one with the same scope and file. */
  put(scope: string, document: Document): void {
    this.remove(scope, document.file);
    const ids: number[] = [];
    // A passage that cannot be added leaves those before it, which are removed with the document.
    this.#files.set(keyOf(scope, document.file), ids);
    for (const passage of document.passages) {
      const id = (this.#lastId += 1);
      this.#held.set(id, { id, scope, document, passage });
      this.#index.add({ id, text: passage.text, path: document.file, names: namesIn(passage) });
      ids.push(id);
    }
  }

  /**
   * Removes a document.
   *
   * @returns Whether there was one.
   */
  remove(scope: string, file: string): boolean {
    const ids = this.#files.get(keyOf(scope, file));
    for (const id of ids ?? []) {
      const { passage } = this.#held.get(id)!;
      this.#index.remove({ id, text: passage.text, path: file, names: namesIn(passage) });
      this.#held.delete(id);
    }
    return this.#files.delete(keyOf(scope, file));
  }

  filesOf(scope: string): string[] {
    const prefix = keyOf(scope, '');
    return [...this.#files.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  }

  /** The evidence for a question, the strongest first. */
  evidenceFor({ question: text, options, scopes, limit }: Retrieve): Evidence[] {
    const question = questionOf(text, options);
    const wanted = scopes === null ? undefined : new Set(scopes);
    const isWanted = (id: number) => wanted === undefined || wanted.has(this.#held.get(id)!.scope);
    const found = question.options.length > 0 ? this.#choices(question, isWanted) : this.#values(question, isWanted);
    return found.toSorted((a, b) => b.weight - a.weight).slice(0, limit);
  }

  /** The place of a dependency on a framework, or else of an import of it, as `file:line`; undefined for none. */
  placeOf(framework: string): string | undefined {
    const all = [...this.#held.values()].flatMap(({ document: { file }, passage: { statements } }) =>
      statements.map((one) => ({ file, ...one })),
    );
    // Examples, and other files that only tell of others, use nothing.
    const uses = all.filter((one) => one.kind !== 'mentioned' && usesFramework(one.file, one, framework));
    const best = uses.find(({ form }) => form === 'dependency') ?? uses[0];
    return best && `${best.file}:${best.line}`;
  }

  #choices(question: Question, isWanted: (id: number) => boolean): Evidence[] {
    const coverage = new Coverage(question, this.#index);
    const options = question.options.map(optionAsked);
    const named = options.map((option) => this.#passagesFor(option, question, isWanted));
    // A passage is judged once for all options, since most of the work is to take it apart.
    const judge = (one: Judgeable) => optionFindingsOf(one, options, question, coverage);
    const judged = new Map([...new Set(named.flat())].map((id) => [id, this.#judged(id, coverage, judge)]));
    const findings = options.flatMap(({ text }, index) =>
      named[index]!.flatMap((id) => judged.get(id)!.filter(({ speaksFor }) => speaksFor === text))
        .toSorted((a, b) => b.weight - a.weight)
        .slice(0, PER_OPTION_MAX),
    );
    return choiceOf(findings);
  }

  #passagesFor({ text, amount }: OptionAsked, { terms }: Question, isWanted: (id: number) => boolean): number[] {
    // An amount may be spelled otherwise in a line that speaks of the subject.
    return amount === undefined
      ? this.#index.named(text, terms, NAMED_JUDGED_MAX, isWanted)
      : this.#index.search(terms, NAMED_JUDGED_MAX, isWanted);
  }

  #values(question: Question, isWanted: (id: number) => boolean): Evidence[] {
    const coverage = new Coverage(question, this.#index);
    const hits = this.#index.search(question.terms, PASSAGES_JUDGED_MAX, isWanted);
    const judge = (one: Judgeable) => [valueFindingOf(one, question, coverage) ?? []].flat();
    const judged = hits.flatMap((id) => this.#judged(id, coverage, judge));
    return answersIn(judged, coverage);
  }

  #judged<Found extends Finding>(
    id: number,
    coverage: Coverage,
    judge: (one: Judgeable) => readonly Found[],
  ): (Found & Evidence)[] {
    const { scope, document, passage } = this.#held.get(id)!;
    const terms: PassageTerms = passageTermsOf(passage.statements, `${scope} ${document.file}`);
    return passage.statements.flatMap(({ line, text }, place) => {
      const asked = coverage.terms;
      const findings = judge({ document, passage, place, terms, asked, coverage: coverage.of(terms, place) });
      const source = { type: document.type, scope, file: document.file, line };
      return findings.map((finding) => ({ ...finding, source, excerpt: excerptOf(text) }));
    });
  }
}

function namesIn({ statements }: DocumentPassage): string {
  return statements.map(({ name }) => name).join(' ');
}

function excerptOf(text: string): string {
  const line = plainLine(text);
  return line.length <= EXCERPT_CHARS_MAX ? line : `${line.slice(0, EXCERPT_CHARS_MAX - 1).toWellFormed()}\u2026`;
}

function keyOf(scope: string, file: string): string {
  return `${scope}\n${file}`;
}
