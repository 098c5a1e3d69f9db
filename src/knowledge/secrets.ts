/**
 * Secrets: files that are not read because of their names or their contents, and lines that are blanked because they
 * hold a password or a token. What is not read cannot be quoted. The shapes are those that scanners of repositories
 * look for. Patterns are bounded or begin with a fixed text: a file takes time in proportion to its length. Pure.
 */

/** Ends of names that only say that a file is a copy. */
const COPY = String.raw`(?:\.(?:backup|bak|old|orig|save|swp|json|\d+))?~?$`;

/** Names of files that hold secrets, whatever is in them. `.env.example` is among them: it is copied from the real. */
const SECRET_NAMES: readonly RegExp[] = [
  /^\.env(?:rc$|[._-].*$|$)|\.env$|^\.(?:flaskenv|dev\.vars)$/i,
  new RegExp(
    String.raw`\.(?:pem|key|p8|p12|pfx|pkcs12|jks|jceks|bks|keystore|keytab|kdbx?|psafe3|agilekeychain|keychain|` +
      String.raw`ovpn|ppk|asc|gpg|rdp|cscfg|kubeconfig|tfstate|tfvars)${COPY}`,
    'i',
  ),
  /^id_(?:rsa|dsa|ecdsa|ed25519)|_(?:rsa|dsa|ecdsa|ed25519)$/i,
  new RegExp(
    String.raw`^[._]?(?:netrc|npmrc|pypirc|git-credentials|htpasswd|pgpass|dockercfg|boto|s3cfg|passwd-s3fs|` +
      String.raw`my\.cnf|msmtprc|esmtprc|muttrc|ftpconfig|terraformrc|terraform\.rc|rclone\.conf|kubeconfig|` +
      String.raw`vault[-_](?:pass|password|token)(?:\.txt)?|secring|wallet\.dat|accesstokens\.json|` +
      String.raw`msal_token_cache[\w.]*|local\.settings\.json|(?:remote-sync|sftp-config|sftp)\.json|` +
      String.raw`(?:filezilla|recentservers)\.xml)${COPY}`,
    'i',
  ),
  /^\.?(?:bash|zsh|sh|ksh|fish|mysql|psql|sqlite|rediscli|python|irb|pry|node_repl)_history$/i,
  new RegExp(
    String.raw`(?:^|[._-])(?:credentials?|secrets?)(?:(?:[._-][\w.-]*)?\.(?:json|ya?ml|toml|ini|txt|properties|xml|` +
      String.raw`cfg|conf|csv|plist))?$`,
    'i',
  ),
  /(?:^|[._-])(?:service[-_]?account|client[-_]?secret|firebase-adminsdk)[^/]*\.json$/i,
];

/** Matches folders of a home directory in which tools keep keys and tokens. */
const SECRET_PLACES = new RegExp(
  String.raw`(?:^|\/)(?:\.(?:ssh|gnupg|aws|azure|kube|password-store)\/|\.docker\/config\.json$|` +
    String.raw`\.config\/(?:gcloud|gh)\/)`,
  'i',
);

/** Matches keys and tokens that are secret wherever they occur, by their first letters. */
const TOKENS = new RegExp(
  `\\b(?:${[
    // GitHub, GitLab, Slack.
    String.raw`gh[pousr]_[A-Za-z0-9]{30}|github_pat_\w{30}`,
    String.raw`gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w-]{20}`,
    String.raw`xox[abceoprs]-\d[\w-]{9}|xoxe\.xox[bp]-\d|xoxd-[\w%/+-]{20}|xapp-\d-[A-Z0-9]{8}`,
    // Stripe, Square, Shopify, Twilio, SendGrid, Mailgun.
    String.raw`[rs]k_(?:live|test)_\w{16}|whsec_[A-Za-z0-9+/]{24}|sq0(?:atp|csp)-[\w-]{22}|EAAA[\w-]{60}`,
    String.raw`shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|SK[0-9a-f]{32}\b|SG\.[\w-]{16,32}\.[\w-]{16}|key-[0-9a-f]{32}\b`,
    // Models. A name with hyphens is none: there has to be a digit.
    String.raw`sk-(?:(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Z])[\w-]{20}|(?=[a-z]{0,40}\d)[a-z0-9]{32})|hf_[A-Za-z]{34}`,
    // Amazon, but for the key of its documentation; Google, Azure, Alibaba.
    String.raw`(?:AKIA|ASIA|ABIA|ACCA)(?![0-9A-Z]{9}EXAMPLE)[0-9A-Z]{16}\b|LTAI[A-Za-z0-9]{20}\b`,
    String.raw`AIza[\w-]{35}|GOCSPX-[\w-]{20}|ya29\.[\w-]{20}|AccountKey=[A-Za-z0-9+/]{80}`,
    // Registries of packages and images.
    String.raw`npm_[A-Za-z0-9]{36}|pypi-AgEI[\w-]{40}|rubygems_[a-f0-9]{48}|dckr_[op]at_[\w-]{20}|AKCp[A-Za-z0-9]{60}`,
    // Hosts and tools.
    String.raw`do[opr]_v1_[a-f0-9]{64}|dapi[a-f0-9]{32}\b|dt0c01\.[A-Z0-9]{24}\.|sntry[su]_[\w=+/]{30}|glsa_\w{32}`,
    String.raw`hv[bs]\.[\w-]{24}|dp\.(?:pt|st|sa|ct)\.[A-Za-z0-9]{40}|pul-[a-f0-9]{40}|pscale_(?:tkn|pw)_[\w.-]{30}`,
    String.raw`ATATT3[\w=-]{20}|lin_api_\w{32}|ntn_\w{40}|figd_[\w-]{40}|PMAK-[a-f0-9]{24}-|NRAK-[A-Z0-9]{27}`,
    String.raw`sbp_[a-f0-9]{40}|ops_eyJ[\w-]{60}|AGE-SECRET-KEY-1[0-9A-Z]{58}|PuTTY-User-Key-File-\d`,
    // Addresses whose path is the key.
    String.raw`hooks\.slack\.com\/services\/T\w{6,12}\/B\w{6,12}\/\w{16}`,
    String.raw`discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60}`,
  ].join('|')})`,
);

/** Patterns of contents that make a whole file secret. */
const SECRET_SHAPES: readonly RegExp[] = [
  TOKENS,
  /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/,
  // Only the first letters of a long word begin a search: otherwise each hyphen in it would.
  /(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10}/,
  /:AA(?<=\d{8}:AA)[\w-]{33}/,
  /\.atlasv1\.(?<=[A-Za-z0-9]{14}\.atlasv1\.)[\w-]{60}/,
  /Q~(?<=[\w~.]{3}\dQ~)[\w~.-]{31}/,
];

/** Words at the end of a key's name that make its value secret. */
const SECRET_WORD =
  String.raw`(?:(?<!on|by|com|tres)pass(?:word|wd|phrase|code)?|pwd|secret(?:[-_]?key(?:[-_]?base)?)?|token|` +
  String.raw`credentials?|mnemonic|_auth|` +
  String.raw`(?:api|access|account|private|signing|encryption|master|auth|shared|license)[-_]?key)` +
  String.raw`(?:[-_]?(?:\d{1,2}|live|prod(?:uction)?|test|staging|dev))?`;

/** A value in quotes, in two groups, or as a span of code or without quotes, in two more. */
const VALUE =
  String.raw`(?:"([^"\s]{6,})"|'([^'\s]{6,})'|\x60([^\x60\s]{6,})\x60|` +
  String.raw`([^\s"'\x60,;<][^\s"'\x60,;]{7,}))`;

/** Patterns of a key with its value: with a sign between them, as attributes, as an element, as a header of HTTP. */
const SECRET_KEYS: readonly RegExp[] = [
  new RegExp(String.raw`${SECRET_WORD}["'\x60\]]?\s*(?::=|[:=]>?)\s*${VALUE}`, 'gi'),
  new RegExp(String.raw`${SECRET_WORD}["']\s+value\s*=\s*${VALUE}`, 'gi'),
  new RegExp(String.raw`<[\w.:-]{0,60}?${SECRET_WORD}>\s*([^<>\s]{4,})\s*<\/`, 'gi'),
  new RegExp(
    String.raw`\b(?:[Aa]uthorization|AUTHORIZATION)["']?\s*[:=]\s*["']?` +
      String.raw`(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi[Kk]ey)\s+` +
      String.raw`((?=[\w+/.~=-]{0,200}(?:\d|[a-z][A-Z]|=))[\w+/.~=-]{8,})`,
    'g',
  ),
];

/** Matches the name of a secret at the end of a line, and a value on the next one. */
const NAMED_ABOVE = new RegExp(
  String.raw`\b(?:name|key)["']?\s*[:=]\s*["']?[\w.-]{0,60}?${SECRET_WORD}["']?,?\s*$`,
  'i',
);
const VALUE_BELOW = new RegExp(String.raw`^\s*["']?value["']?\s*[:=]\s*${VALUE}`, 'i');

/** Matches a key whose value is a block of lines; a Secret of Kubernetes, and the keys above its values. */
const SECRET_BLOCK = new RegExp(String.raw`^(\s*)[\w.-]{0,60}?${SECRET_WORD}:\s*[|>][-+\d]*\s*$`, 'i');
const SECRET_KIND = /^[ \t]*["']?kind["']?:[ \t]*["']?Secret\b/m;
const SECRET_DATA = /^(\s*)(?:data|stringData):\s*$/;

/** Characters of a line that can be the head of such values; keys are short. */
const HEAD_CHARS_MAX = 300;

/** Patterns of lines that hold a secret without a key: addresses, commands, and a phrase of several words. */
const SECRET_LINES: readonly RegExp[] = [
  /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"'`]{0,256}:(?![$<{])[^\s/@"'`]{1,512}@/i,
  /[?&](?:sig|signature|x-(?:amz|goog)-signature|access_token|auth_token|api_?key)=[\w%+/.~-]{16}/i,
  /\bcurl\s[^\n]{0,300}?(?:-u|--user)[= ]?["']?[^\s:"'$<{]{1,60}:(?![$<{])[^\s"']{3}/,
  /\bsshpass\s+-p\s?(?!["']?[$<{])["']?[^\s"']{3}/,
  /(?:passphrase|mnemonic|seed[-_ ]?phrase)["'`]?\s*[:=]\s*["'][^"'\s]{1,40}(?: [^"'\s]{1,40}){1,30}["']/i,
];

/** Matches lines that may hold a secret; the others, which are most, are not looked at further. */
const SUSPECT = /pass|pwd|secret|token|credential|key|mnemonic|seed|auth|:\/\/|[?&](?:sig|x-)|curl/i;

/** Patterns of values that only refer to a secret, state its type, its length or its algorithm, or stand for one. */
const NO_SECRET: readonly RegExp[] = [
  new RegExp(
    String.raw`^(?:[$<{]|%\w+%|\*{3}|\.{2}|…|\.\/|~\/|\/(?:etc|run|var|home|usr|opt|tmp|mnt|secrets)\/|https?:\/\/|` +
      String.raw`!(?:ref|sub|vault|secret|env|getatt)\b|(?:process|os|env|environ|system|config|settings|secrets|` +
      String.raw`vars|self|this|vault|arn|op|ref|file|import\.meta)[.:[(]|getenv|your|example|placeholder|redacted|` +
      String.raw`changeme|todo\b|x{4}|string|optional|required|u?int\d|float\d)`,
    'i',
  ),
  /^(?:null|undefined|none|true|false|env)$/i,
  /^\d+-?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|chars?|characters?|bytes?|bits?)\b/i,
  new RegExp(
    String.raw`^(?:argon2|bcrypt|scrypt|pbkdf2|sha-?\d|hmac|[rehp]s(?:256|384|512)|oauth|jwt|aes|base64|ed25519|` +
      String.raw`x509|uuid)[-\w]{0,12}$`,
    'i',
  ),
];

/** Matches calls and elements, whose values are not written in the line. */
const CALL = /^[\w.$:]*[([]/;

/** Whether a file is skipped because of its name, or of the folder in which it is. */
export function hasSecretName(file: string): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return SECRET_NAMES.some((pattern) => pattern.test(name)) || SECRET_PLACES.test(file);
}

/** Whether a text contains a key or token that makes the whole file secret. */
export function hasSecretShape(text: string): boolean {
  return SECRET_SHAPES.some((shape) => shape.test(text));
}

/** Blanks the lines of a text that contain a password, a token, or a URL with either. Lines keep their numbers. */
export function withoutSecretLines(text: string): { readonly text: string; readonly blanked: number } {
  const isKind = SECRET_KIND.test(text);
  let blanked = 0;
  let above = '';
  /** The indentation of a key whose values are secret, while lines are indented further. */
  let indent: number | undefined;
  const lines = text.split('\n').map((line) => {
    const isBelow = indent !== undefined && (line.trim() === '' || indentOf(line) > indent);
    if (!isBelow) indent = indentOfHead(line, isKind);
    const isSecret = isBelow ? line.trim() !== '' : isSecretLine(line) || isSecretBelow(line, above);
    above = line;
    if (!isSecret) return line;
    blanked += 1;
    return '';
  });
  return { text: blanked === 0 ? text : lines.join('\n'), blanked };
}

function isSecretLine(line: string): boolean {
  if (!SUSPECT.test(line)) return false;
  if (SECRET_LINES.some((pattern) => pattern.test(line))) return true;
  return SECRET_KEYS.some((pattern) => {
    for (const match of line.matchAll(pattern)) if (isSecretValue(match)) return true;
    return false;
  });
}

/** Whether the line is the value of a secret that the line above names, as in a list of variables. */
function isSecretBelow(line: string, above: string): boolean {
  const match = VALUE_BELOW.exec(line);
  return match !== null && above.length <= HEAD_CHARS_MAX && NAMED_ABOVE.test(above) && isSecretValue(match);
}

function isSecretValue([, double, single, span, bare]: RegExpMatchArray): boolean {
  const quoted = double ?? single;
  const value = quoted ?? span ?? bare;
  if (value === undefined || NO_SECRET.some((pattern) => pattern.test(value))) return false;
  // Any other value is a word of a language or of prose unless it mixes letters with digits.
  return quoted !== undefined || (/\d/.test(value) && /[a-z]/i.test(value) && !CALL.test(value));
}

/** The indentation of a key whose values stand on the lines below. */
function indentOfHead(line: string, isKind: boolean): number | undefined {
  if (line.length > HEAD_CHARS_MAX) return undefined;
  return (SECRET_BLOCK.exec(line) ?? (isKind ? SECRET_DATA.exec(line) : null))?.[1]!.length;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
