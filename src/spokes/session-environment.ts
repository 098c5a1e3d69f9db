/**
 * The environment of a session's command: what programs need to run on a machine, what its agent names, and what it has
 * to know of its session. Nothing else of the host's environment reaches it, since that is where secrets are.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables by which programs find their way on a machine. */
const PASSED: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'TZ', 'LANG', 'LANGUAGE', 'TERM', 'COLORTERM'],
  ...['NO_COLOR', 'FORCE_COLOR', 'CI', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
]);
const PASSED_FAMILIES = ['LC_', 'XDG_'];

/** Characters of a value that is worth hiding: a shorter one would be found in any text. */
const SECRET_CHARS_MIN = 8;

/** Bytes of a prompt that is a variable too: systems refuse longer ones. */
const PROMPT_BYTES_MAX = 96 * 1024;

/**
 * The environment of a command.
 *
 * @param named Names of variables that it gets besides.
 * @param own What it is told of its session.
 */
export function sessionEnvironment(
  host: Environment,
  named: readonly string[],
  own: Environment & { readonly BOSUN_PROMPT: string },
): Record<string, string> {
  const passed = Object.entries(host).filter(([name]) => isPassed(name) || named.includes(name));
  // No variable can hold the character 0.
  const prompt = own.BOSUN_PROMPT.replaceAll('\0', '');
  const told = { ...own, BOSUN_PROMPT: Buffer.byteLength(prompt) > PROMPT_BYTES_MAX ? undefined : prompt };
  return Object.fromEntries([...passed, ...Object.entries(told)].filter(isGiven));
}

function isGiven(entry: [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined;
}

function isPassed(name: string): boolean {
  return PASSED.has(name) || PASSED_FAMILIES.some((family) => name.startsWith(family));
}

/** The values of variables that output must not show. */
export function secretsIn(host: Environment, named: readonly string[]): readonly string[] {
  const values = named.map((name) => host[name]);
  return values.filter((value): value is string => value !== undefined && value.length >= SECRET_CHARS_MIN);
}

/** Tokens of sessions, which are signed. */
const TOKEN = /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g;

/** A text with stars where it has one of the values, or a token. */
export function masked(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text).replace(TOKEN, '***');
}

/** The environment of commands that are given all of the host's, but must not see the keys of the store. */
export function withoutKeys(env: Environment = process.env): Environment {
  return { ...env, BOSUN_SECRET_KEY: undefined, BOSUN_SECRET_KEY_PREVIOUS: undefined };
}
