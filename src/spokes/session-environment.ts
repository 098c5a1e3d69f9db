/**
 * The environment of a session's command: what programs need to run on a machine, what its agent names, and what it has
 * to know of its session. Nothing else of the host's environment reaches it, since that is where secrets are. Pure.
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

/** The facts that the command of a session is told. */
export interface SessionFacts {
  readonly session: string;
  readonly role: string;
  /** The role of the hub that gets control back. */
  readonly hub: string;
  readonly prompt: string;
  /** Absolute path of the file that has the prompt. */
  readonly promptFile: string;
  /** Absolute path of the file that is the hand-off. */
  readonly handoffFile: string;
  readonly plan?: string | undefined;
  readonly workspace: string;
  /** The gateway, and the token of this session for it; absent without a gateway. */
  readonly door?: { readonly url: string; readonly token: string } | undefined;
}

/**
 * The environment of a command.
 *
 * @param named Names of variables that it gets besides.
 */
export function sessionEnvironment(
  host: Environment,
  named: readonly string[],
  facts: SessionFacts,
): Record<string, string> {
  const { session, role, hub, prompt, promptFile, handoffFile, plan, workspace, door } = facts;
  const own: Environment = {
    ...{ BOSUN_SPOKE: '1', BOSUN_SESSION: session, BOSUN_ROLE: role, BOSUN_HUB_ROLE: hub },
    ...{ BOSUN_HANDOFF: handoffFile, BOSUN_PROMPT_FILE: promptFile, BOSUN_PLAN: plan, BOSUN_WORKSPACE: workspace },
    // No variable can hold this character.
    BOSUN_PROMPT: Buffer.byteLength(prompt) > PROMPT_BYTES_MAX ? undefined : prompt.replaceAll('\0', ''),
    ...{ BOSUN_URL: door?.url, BOSUN_TOKEN: door?.token },
  };
  const passed = Object.entries(host).filter(([name]) => isPassed(name) || named.includes(name));
  return Object.fromEntries([...passed, ...Object.entries(own)].filter(isGiven));
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
