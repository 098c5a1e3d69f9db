/**
 * `bosun questions ask` without an answer desk: reads one folder, answers from its files with their lines, and shows
 * how sure that is. It keeps nothing and asks nobody; what the files do not say, a person has to.
 */
import { basename, resolve } from 'node:path';
import { type Cancel, systemClock } from '../../clock.ts';
import { type Knowledge, knowledgeOf } from '../../knowledge/knowledge.ts';
import { type FolderReport } from '../../knowledge/folder.ts';
import { ANSWER_GATE, CAPS, type Cap } from '../../machines/answers/confidence.ts';
import { type Evidence, placeOf } from '../../machines/answers/evidence.ts';
import { qualityOf } from '../../machines/answers/question-quality.ts';
import { quotedAnswer, type QuotedAnswer } from '../../machines/answers/quoting.ts';
import { type Verdict, verdictOf } from '../../machines/answers/thresholds.ts';
import { factorFacts } from './confidence-facts.ts';
import { carriedOut, EXIT, type ExitCode } from '../exit-codes.ts';
import { jsonLine } from '../json-lines.ts';
import { type DataCommand } from '../surroundings.ts';
import { type Facts, factsText, tableText } from '../table.ts';

export interface FolderQuestion extends Pick<DataCommand, 'out' | 'err' | 'cwd' | 'json'> {
  readonly question: string;
  readonly options: readonly string[];
  readonly folder: string;
  /** Whether to show every factor of the confidence, and all evidence. */
  readonly explain: boolean;
}

/** The status of an answer from a folder, by its verdict. */
const STATUS = { direct: 'answered', provisional: 'provisional', discarded: 'unanswered' } as const satisfies Readonly<
  Record<Verdict, string>
>;

/** Milliseconds of reading after which it is told, and between two such lines. */
const PROGRESS_MS = 2_000;

/** Lines that are shown where nothing is sure enough for an answer, so that a person sees where to look. */
const NEAREST_MAX = 3;

/** Prints what a folder answers. Resolves to 0 with an answer, 3 if it needs a person, 5 if it is refused. */
export function askFolderCommand(command: FolderQuestion): Promise<ExitCode> {
  const { question, options, folder, cwd, json, out } = command;
  return carriedOut(command, async () => {
    const quality = qualityOf(question, options);
    if (!quality.isGood) {
      out.write(json ? jsonLine(refusal(quality.why)) : factsText(refusalFacts(quality.why)));
      return EXIT.refused;
    }
    const path = resolve(cwd, folder);
    const knowledge = knowledgeOf([{ scope: basename(path) || path, path }], { watch: false });
    try {
      const report = await readWhole(knowledge, command);
      const { evidence, complete } = await knowledge.retrieve({
        question,
        options: options.length > 0 ? options : null,
      });
      const given = { report, evidence, answer: quotedAnswer({ evidence, isComplete: complete }) };
      const status = statusOf(given.answer);
      out.write(json ? jsonLine(replyOf(given, status)) : textOf(given, status, command));
      return status === 'answered' ? EXIT.completed : EXIT.paused;
    } finally {
      await knowledge.close();
    }
  });
}

interface Given {
  readonly report: FolderReport;
  readonly evidence: readonly Evidence[];
  readonly answer: QuotedAnswer;
}
type Status = (typeof STATUS)[Verdict];

function statusOf({ confidence, citations }: QuotedAnswer): Status {
  const gates = { directPercent: ANSWER_GATE, sourcesMin: 1 };
  return STATUS[verdictOf({ confidence, sources: citations.length }, gates).verdict];
}

/** Resolves when the folder has been read. Tells on `err` how far that is if it takes long. */
async function readWhole(knowledge: Knowledge, { err, folder, json }: FolderQuestion): Promise<FolderReport> {
  let cancel: Cancel | undefined;
  const tell = () => {
    cancel = systemClock.setTimeout(() => void told(), PROGRESS_MS);
  };
  const told = async () => {
    const { folders, complete } = await knowledge.report();
    if (complete) return;
    const { files, passages } = folders[0]!;
    err.write(json ? jsonLine({ type: 'reading', files, passages }) : `reading ${folder}: ${files} files so far\n`);
    tell();
  };
  tell();
  try {
    return (await knowledge.refresh()).folders[0]!;
  } finally {
    cancel?.();
  }
}

/** The reply as JSON: the fields that the desk's reply has, and what it rests on. */
function replyOf({ report, evidence, answer: judged }: Given, status: Status) {
  const { answer, confidence, leading, citations, contradicting, factors } = judged;
  const isGiven = status !== 'unanswered';
  return {
    status,
    answer: isGiven ? answer : null,
    value: isGiven ? leading : null,
    confidence,
    source: isGiven && citations[0] !== undefined ? placeOf(citations[0].source) : null,
    sources: isGiven ? citations.map(sourceOf) : [],
    problems: problemsOf(judged, status),
    next: nextOf(status, report.path),
    factors: { ...factors, contradicting: contradicting.map(({ source }) => placeOf(source)) },
    evidence,
    folder: report,
  };
}

function refusal(why: string) {
  return { status: 'refused', answer: null, value: null, confidence: 0, source: null, sources: [], problems: [why] };
}

function refusalFacts(why: string): Facts {
  return [
    ['state', 'refused'],
    ['because', why],
  ];
}

function textOf({ report, evidence, answer: judged }: Given, status: Status, { explain }: FolderQuestion): string {
  const { answer, confidence, citations } = judged;
  const isGiven = status !== 'unanswered';
  const facts: Facts = [
    ['state', status],
    ['answer', isGiven ? answer : null],
    ['confidence', `${confidence} %`],
    ['sources', isGiven ? citations.map(({ source }) => placeOf(source)).join(', ') : null],
    ['because', problemsOf(judged, status).join('; ') || null],
    ['nearest', isGiven ? null : nearestOf(evidence)],
    ['next', nextOf(status, report.path)],
  ];
  return `${factsText(facts)}${explain ? explained({ report, evidence, answer: judged }) : ''}`;
}

/** Every factor of the confidence, all evidence, and what was read. */
function explained({ report, evidence, answer: { factors } }: Given): string {
  const rows = evidence.map(({ kind, speaksFor, coverage, weight, source, excerpt }) => [
    ...[placeOf(source), kind, percentText(coverage), percentText(weight), speaksFor ?? '', excerpt],
  ]);
  const head = ['PLACE', 'KIND', 'COVERS', 'WEIGHT', 'SAYS', 'LINE'];
  const facts = [...factorFacts(factors), ...readFacts(report)];
  return `\n${factsText(facts)}${rows.length === 0 ? '' : `\n${tableText([head, ...rows])}`}`;
}

function readFacts({ files, passages, listedBy, leftOut, blankedLines }: FolderReport): Facts {
  const left = Object.entries(leftOut).map(([reason, { count }]) => `${count} ${reason}`);
  return [
    ['read', `${files} files, ${passages} passages, ${listedBy === 'git' ? 'as git lists them' : 'by walking'}`],
    ['left out', left.join(', ') || null],
    ['blanked', blankedLines === 0 ? null : `${blankedLines} lines with a secret`],
  ];
}

function problemsOf({ factors }: QuotedAnswer, status: Status): readonly string[] {
  return status === 'answered' ? [] : factors.caps.filter(isTold).map((cap) => CAPS[cap].why);
}

/** Without a source there is also nothing but mentions and no quotation, which need not be said. */
function isTold(cap: Cap, _: number, caps: readonly Cap[]): boolean {
  if (caps.includes('noSource')) return cap === 'noSource';
  return cap !== 'quotation' || !caps.includes('mentionsOnly');
}

function nextOf(status: Status, path: string): string | null {
  if (status === 'answered') return null;
  const asked = status === 'provisional' ? 'have a person confirm it' : 'ask a person';
  return `${asked}: bosun desk ${path} keeps the question until somebody answers`;
}

function nearestOf(evidence: readonly Evidence[]): string | null {
  const places = [...new Set(evidence.map(({ source }) => placeOf(source)))];
  return places.slice(0, NEAREST_MAX).join(', ') || null;
}

function sourceOf({ source, excerpt }: Evidence) {
  return { type: source.type, location: placeOf(source), excerpt };
}

function percentText(share: number): string {
  return `${Math.round(share * 100)} %`;
}
