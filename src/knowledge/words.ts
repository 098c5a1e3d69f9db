/**
 * Words as they are searched: identifiers and paths are split into their parts, endings and frequent words are dropped,
 * and abbreviations of the field mean the same as what they stand for. Index and questions go through the same rules.
 * Pure.
 */

const STOP_WORDS = new Set(
  (
    'a about above after all already also always am an and any are as at be been before being below between both ' +
    'but by ' +
    'can could did do does done down during each either else every few for from further get gets had has have having ' +
    'he her here his how i if in into is it its itself just let me more my need no nor not now of off on once only ' +
    'or other our out over own per please s shall she should so some still such t than that the their them then ' +
    'there these they this those through to too under until up us very was we were what when where which while who ' +
    'whom whose why will with within without would you your one again i.e e.g ' +
    "don't doesn't didn't can't won't isn't aren't wasn't shouldn't couldn't i'm we're we've it's"
  ).split(' '),
);

/** Words of which questions are built, and which say nothing about the subject. */
const SCAFFOLD_WORDS = new Set(
  (
    'use used uses using usage many much long often soon far want going like kind sort given configured value values ' +
    'currently today exactly allowed allow default defaults project repository repo must may might stay stays ahead ' +
    'become becomes called name named happen happens know tell mean means work works actually really exact precise ' +
    'otherwise unless else nothing something anything everything someone somebody anybody everybody please suppose ' +
    'supposed expect expected think say says said these days right ever yet whole itself ourselves own try trying'
  ).split(' '),
);

/** Words that stand in questions about any subject. They count for less than the others. */
const GENERIC_WORDS =
  'run runs running set sets change changes changed show shows shown find finds found look looks open opens add adds ' +
  'added put puts take takes taken make makes made give gives come comes finish finishes need needs needed require ' +
  'requires required new old same different first last final finally next single total actual real current present ' +
  'main official common part way place thing things case moment person people user users app code system software ' +
  'service services tool tools library libraries package packages framework frameworks module program product team ' +
  'company read reads write call calls apply applied support supported supports handle handles item items time times ' +
  'specific particular together inside across behind choose build keep hold send start stop happen create created ' +
  'get serve served provide provided pick picked recommend recommended enable enabled settle side end max min ' +
  'enforce ' +
  'ensure ensures exist exists treat treated count counts ok actually able automatically reach reaches raise raises ' +
  'raised carry carries go goes name wait waits look accept accepts accepted';

/** Rows of synonyms in the field. The first word of a row stands for all. */
const ALIKE: readonly string[] = [
  'max maximum most limit limits biggest largest highest upper',
  'min minimum least smallest lowest oldest earliest shortest',
  'config configuration setting settings configure',
  'auth authentication authenticate authenticates',
  'env environment',
  'directory dir folder',
  'id ids identifier identifiers',
  'message messages msg msgs',
  'number num count',
  'length len chars characters',
  'depth deep deeper nested nesting',
  'width wide',
  'height high',
  'size large big byte bytes',
  'retry retries retried attempt attempts tries',
  'lifetime ttl valid validity expire expires expired expiry expiration live lives',
  'keep keeps kept retention retain retained retains',
  'send sends sent sending',
  'hold holds held',
  'build builds built rebuilt',
  'write writes written writing',
  'choose chooses chosen chose',
  'pay pays paid payment payments',
  'buy buys bought',
  'app application apps applications',
  'docs documentation',
  'dependency dependencies dep deps',
  'admin administrator administrators',
  'second seconds sec secs',
  'millisecond milliseconds ms',
  'minute minutes mins',
  'hour hours hourly',
  'day days daily',
  'week weeks weekly',
  'month months monthly',
  'year years yearly annual annually',
  'allow allows allowed permit permits permitted',
  'email emails mail mails',
  'login signin logon',
  'logout signout logoff',
  'database databases db',
  'licence license licences licenses licensed',
  'colour color colours colors',
  'picture pictures image images photo photos',
  'delete deletes deleted deletion remove removes removed removal purge purged purges erase erased',
  'start starts started startup boot boots begin begins began',
  'fail fails failed failure failures',
  'parallel concurrent concurrently concurrency simultaneous simultaneously',
  'cpu cpus processor processors',
  'memory ram',
  'log logs logging logger logged',
  'development dev',
  'production prod',
  'deploy deploys deployed deployment deployments rollout',
  'approve approves approved approval',
  'owner owners owns owned own',
  'maintainer maintainers maintains maintained maintain',
  'lint linter linting linters',
  'format formatter formatting formatted formats',
  'store stores stored storage storing',
  'compression compress compresses compressed',
  'price cost costs fee fees prices',
  'replica replicas instance instances',
  'frontend front-end',
  'backend back-end',
];

const CANONICAL = new Map(
  ALIKE.flatMap((row) => {
    const words = row.split(' ');
    return words.map((word) => [word, words[0]!] as const);
  }),
);

/** Matches a word: letters and digits, also with dots, hyphens and apostrophes inside, but without a genitive. */
export const WORD = /[\p{L}\p{N}]+(?:(?:[._-]|['\u2019](?!s\b))[\p{L}\p{N}]+)*/gu;
const PARTS = /[._'-]|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N}{2})/u;

/** Most words whose terms are remembered: those of a large repository. */
const WORDS_KNOWN_MAX = 200_000;

/** The terms of words that occurred before. Texts repeat their words, and taking a word apart is most of the work. */
const known = new Map<string, readonly string[]>();

/** The terms of a word: of the whole, and of its parts if it is an identifier or a path. */
function termsOfWord(word: string): readonly string[] {
  const before = known.get(word);
  if (before !== undefined) return before;
  const parts = word.split(PARTS).filter((part) => part !== '');
  const terms = (parts.length > 1 ? [word, ...parts] : [word]).map(termOf).filter((term) => term !== null);
  if (known.size >= WORDS_KNOWN_MAX) known.clear();
  known.set(word, terms);
  return terms;
}

/** The terms of a text in their order, repeated as often as they occur. */
export function termsIn(text: string): string[] {
  const terms: string[] = [];
  for (const [word] of text.matchAll(WORD)) for (const term of termsOfWord(word)) terms.push(term);
  return terms;
}

/** The terms of a text, each once. */
export function termsOf(text: string): Set<string> {
  return new Set(termsIn(text));
}

/** The term as which a word is compared; null for a word without meaning. */
export function termOf(word: string): string | null {
  const lower = word.toLowerCase();
  if (STOP_WORDS.has(lower) || (lower.length < 2 && !/\d/.test(lower))) return null;
  return CANONICAL.get(lower) ?? stemOf(lower);
}

/** The terms of the parts of a name. */
export function partTermsOf(name: string): Set<string> {
  const parts = (name.match(WORD) ?? []).flatMap((word) => word.split(PARTS));
  return new Set(parts.map(termOf).filter((term) => term !== null));
}

/** Whether a word has no meaning by itself. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word.toLowerCase());
}

/** The terms of words that stand in questions about any subject. */
const GENERIC = termsOf(GENERIC_WORDS);

/** Whether a term stands in questions about any subject, so that a source need not have it. */
export function isGeneric(term: string): boolean {
  return GENERIC.has(term) || (/^[a-z]{3,}ly$/.test(term) && !/^(?:nightly|reply|apply|supply|family)$/.test(term));
}

/**
 * The terms of a question, without the words of which questions are built. Words with hyphens are taken apart, since a
 * source may write them otherwise.
 */
export function questionTermsOf(question: string): Set<string> {
  const words = (question.match(WORD) ?? []).flatMap((word) => (/^[\p{L}-]+$/u.test(word) ? word.split('-') : word));
  const terms = words.map((word) => (SCAFFOLD_WORDS.has(word.toLowerCase()) ? null : termOf(word)));
  return new Set(terms.filter((term) => term !== null));
}

/**
 * Drops the endings of plural, past and progressive. The result need not be a word, as long as both forms give the
 * same.
 */
function stemOf(word: string): string {
  if (!/^[a-z]{4,40}$/.test(word)) return word;
  let stem = word;
  if (stem.endsWith('ies')) stem = `${stem.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (/[^sui]s$/.test(stem)) stem = stem.slice(0, -1);
  if (/[aeiouy].*(?:ing|ed)$/.test(stem) && stem.length > 4) {
    stem = stem.replace(/(?:ing|ed)$/, '').replace(/([bdgmnprt])\1$/, '$1');
  } else if (stem.endsWith('ation') && stem.length > 7) stem = stem.slice(0, -3);
  else if (stem.endsWith('ion') && stem.length > 6) stem = stem.slice(0, -3);
  return stem.length > 4 && stem.endsWith('e') ? stem.slice(0, -1) : stem;
}
