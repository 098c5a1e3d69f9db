/**
 * The keys that encrypt secrets, and the one place that encrypts: AES-256-GCM of node:crypto. The first key encrypts,
 * all of them decrypt. It handles bytes, not values; the kernel decides which values are secret.
 *
 * No nonce is used twice under one key: each run of the process derives a key of its own from the host's key and a
 * random salt, and counts. Random nonces alone would be exhausted after some billion values.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { Concealed } from '../../actors/model/ports.ts';
import { BosunError } from '../../errors.ts';

const KEY_BYTES = 32;
const ID_BYTES = 8;
const SALT_BYTES = 16;
const COUNTER_BYTES = 6;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = ID_BYTES + SALT_BYTES + COUNTER_BYTES;

/**
 * The number of derived keys cached for reading, one for each run that wrote something still stored. Deriving one takes
 * some 20 µs.
 */
const DERIVED_MAX = 256;

/** Context of the key derivation. */
const PURPOSE = 'bosun secret 1';

export class KeyRing {
  readonly #keys = new Map<string, Buffer>();
  readonly #derived = new Map<string, Buffer>();
  readonly #id: Buffer;
  readonly #salt = randomBytes(SALT_BYTES);
  readonly #own: Buffer;
  #counter = 0;

  /**
   * Makes a key ring.
   *
   * @param key 32 bytes, as base64 or as hexadecimal digits.
   * @param previous Keys used before, for reading only. Throws BOSUN_CONFIG_INVALID.
   */
  constructor(key: string, previous: readonly string[] = []) {
    const [own, ...others] = [key, ...previous].map(keyFrom);
    for (const each of [own!, ...others]) this.#keys.set(idOf(each).toString('hex'), each);
    this.#id = idOf(own!);
    this.#own = derive(own!, this.#salt);
  }

  conceal(plain: Uint8Array, type: string | undefined): Concealed {
    const head = Buffer.alloc(HEAD_BYTES);
    this.#id.copy(head);
    this.#salt.copy(head, ID_BYTES);
    head.writeUIntBE(this.#counter++, ID_BYTES + SALT_BYTES, COUNTER_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#own, nonceOf(head)).setAAD(associated(head, type));
    return concealedFrom(Buffer.concat([head, cipher.update(plain), cipher.final(), cipher.getAuthTag()]), type);
  }

  /**
   * Decrypts a value.
   *
   * @returns undefined if the key is missing, or is not the one that the value names.
   */
  reveal(concealed: Concealed): Uint8Array | undefined {
    const bytes = Buffer.from(concealed.bytes());
    const key = this.#keys.get(concealed.key);
    if (key === undefined || bytes.length < HEAD_BYTES + TAG_BYTES) return undefined;
    const head = bytes.subarray(0, HEAD_BYTES);
    const end = bytes.length - TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', this.#derivedFor(key, head), nonceOf(head), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(associated(head, concealed.type)).setAuthTag(bytes.subarray(end));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES, end)), decipher.final()]);
    } catch {
      // node:crypto only reports that the tag does not match.
      return undefined;
    }
  }

  #derivedFor(key: Buffer, head: Buffer): Buffer {
    const name = head.toString('latin1', 0, ID_BYTES + SALT_BYTES);
    let derived = this.#derived.get(name);
    if (derived === undefined) {
      if (this.#derived.size >= DERIVED_MAX) this.#derived.clear();
      this.#derived.set(name, (derived = derive(key, head.subarray(ID_BYTES, ID_BYTES + SALT_BYTES))));
    }
    return derived;
  }
}

/** Wraps stored bytes as a concealed value. */
export function concealedFrom(bytes: Uint8Array, type: string | undefined): Concealed {
  return new Concealed(type, Buffer.from(bytes.subarray(0, ID_BYTES)).toString('hex'), bytes);
}

function keyFrom(text: string): Buffer {
  const trimmed = text.trim();
  const key = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Buffer.from(trimmed, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)
      ? Buffer.from(trimmed, 'base64')
      : undefined;
  // Without the text in the message: it is a key, or nearly one.
  if (key?.length !== KEY_BYTES)
    throw new BosunError(
      'BOSUN_CONFIG_INVALID',
      `a secret key (BOSUN_SECRET_KEY) is ${KEY_BYTES} bytes as base64 or hexadecimal digits`,
    );
  return key;
}

/** The id of a key: it distinguishes keys and reveals nothing of them. */
function idOf(key: Buffer): Buffer {
  return createHash('sha256').update('bosun secret key id').update(key).digest().subarray(0, ID_BYTES);
}

function derive(key: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, PURPOSE, KEY_BYTES));
}

function nonceOf(head: Buffer): Buffer {
  return Buffer.concat([Buffer.alloc(NONCE_BYTES - COUNTER_BYTES), head.subarray(ID_BYTES + SALT_BYTES)]);
}

function associated(head: Buffer, type: string | undefined): Buffer {
  return Buffer.concat([head, Buffer.from(type ?? '')]);
}
