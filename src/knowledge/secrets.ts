/**
 * Secrets: files that are not read because of their names or their contents, and lines that are blanked because they
 * hold a password or a token. What is not read cannot be quoted. Pure.
 */

/** Names of files that hold secrets, whatever is in them. `.env.example` is among them: it is copied from the real. */
const SECRET_NAMES: readonly RegExp[] = [
  /^\.env(?:[.-].*)?$|\.env$/i,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx?|ovpn|ppk|asc|gpg|tfstate|tfvars)(?:\.backup)?$/i,
  /^id_(?:rsa|dsa|ecdsa|ed25519)/i,
  /^\.?(?:netrc|npmrc|pypirc|git-credentials|htpasswd|pgpass|dockercfg|boto|s3cfg)$/i,
  /^(?:credentials?|secrets?)(?:(?:[._-][\w-]+)?\.(?:json|ya?ml|toml|ini|txt|properties|xml))?$/i,
  /(?:^|[._-])(?:service[-_]?account|client[-_]?secret)[^/]*\.json$/i,
];

/** Patterns of keys and tokens that are secret wherever they occur. */
const SECRET_SHAPES: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{30,}\b|\bgithub_pat_\w{30,}\b|\bglpat-[\w-]{20,}\b/,
  /\bxox[abprs]-[\w-]{10,}\b/,
  /\bsk-(?:[a-z]+-)?[A-Za-z0-9_-]{20,}\b|\b[rs]k_live_\w{16,}\b/,
  /\bAIza[\w-]{35}\b/,
  /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}\b/,
];

/** Matches a key with a secret value on the same line. */
const SECRET_KEY = new RegExp(
  String.raw`(?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|` +
    String.raw`credentials?)["'\x60]?\s*(?::=|[:=]>?)\s*(?:["'\x60]([^"'\x60\s]{6,})["'\x60]|([^\s"'\x60,;]{` +
    String.raw`8,}))`,
  'i',
);

/** Matches values that only refer to a secret or state its type. */
const NO_SECRET = /^(?:\$|<|\{|process\.|os\.|env|System\.|getenv|null|undefined|none|string|required|optional|your)/i;

/** Matches a user name and password in a URL. */
const SECRET_ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"'`]+:(?!\$|<|\{)[^\s/@"'`]+@/i;

/** Whether a file is skipped because of its name. */
export function hasSecretName(file: string): boolean {
  const name = file.split('/').at(-1)!;
  return SECRET_NAMES.some((pattern) => pattern.test(name));
}

/** Whether a text contains a key or token that makes the whole file secret. */
export function hasSecretShape(text: string): boolean {
  return SECRET_SHAPES.some((shape) => shape.test(text));
}

/** Blanks the lines of a text that contain a password, a token, or a URL with either. Lines keep their numbers. */
export function withoutSecretLines(text: string): { readonly text: string; readonly blanked: number } {
  let blanked = 0;
  const lines = text.split('\n').map((line) => {
    if (!isSecretLine(line)) return line;
    blanked += 1;
    return '';
  });
  return { text: blanked === 0 ? text : lines.join('\n'), blanked };
}

function isSecretLine(line: string): boolean {
  if (SECRET_ADDRESS.test(line)) return true;
  const [, quoted, bare] = SECRET_KEY.exec(line) ?? [];
  if (quoted !== undefined) return !NO_SECRET.test(quoted);
  // An unquoted value is a word of a language or of prose unless it mixes letters with digits.
  return bare !== undefined && !NO_SECRET.test(bare) && /\d/.test(bare) && /[a-z]/i.test(bare) && !/[()]/.test(bare);
}
