import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { NamedKey } from './identity.ts'

/** An encrypted secret, as it is stored. */
export interface SealedSecret {
  /** Id of the key that encrypted it. */
  readonly keyId: string
  /** 12 bytes, new for every secret. */
  readonly nonce: Uint8Array<ArrayBuffer>
  /** Ends with the 16 bytes of the tag. */
  readonly ciphertext: Uint8Array<ArrayBuffer>
}

/** A secret cannot be decrypted: its key is unknown, or it was encrypted for another place, or changed. */
export class SecretUnreadable extends Error {
  override name = 'SecretUnreadable'
  readonly reason: 'unknown_key' | 'not_authentic'

  constructor(reason: SecretUnreadable['reason'], options?: ErrorOptions) {
    super(
      reason === 'unknown_key'
        ? 'encrypted with a key that is not configured'
        : 'not encrypted for this place, or changed',
      options,
    )
    this.reason = reason
  }
}

export interface SecretBox {
  /**
   * Encrypts a secret for one place.
   *
   * @param place what the secret belongs to, such as workspace and provider; it opens nowhere else
   */
  seal(secret: string, place: readonly string[]): SealedSecret
  /** @throws SecretUnreadable for an unknown key, another place, or a changed byte */
  open(sealed: SealedSecret, place: readonly string[]): string
}

export interface SecretBoxOptions {
  /** 32 bytes each. The first encrypts, all decrypt: put a new one in front to rotate. */
  readonly keys: readonly [NamedKey, ...NamedKey[]]
  readonly randomBytes: (count: number) => Uint8Array
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Secrets at rest: AES-256-GCM with a random nonce for each, bound to its place and the id of its key. One key is good
 * for 2^32 secrets (NIST SP 800-38D, §8.3), far more than an installation stores.
 */
export function createSecretBox({ keys, randomBytes }: SecretBoxOptions): SecretBox {
  return {
    seal(secret, place) {
      const [key] = keys
      const nonce = Uint8Array.from(randomBytes(nonceBytes))
      const cipher = createCipheriv(algorithm, key.secret, nonce, { authTagLength: tagBytes })
      cipher.setAAD(bind(key.id, place))
      const ciphertext = [cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return { keyId: key.id, nonce, ciphertext: new Uint8Array(Buffer.concat(ciphertext)) }
    },
    open({ keyId, nonce, ciphertext }, place) {
      const key = keys.find(({ id }) => id === keyId)
      if (key === undefined) throw new SecretUnreadable('unknown_key')
      try {
        const decipher = createDecipheriv(algorithm, key.secret, nonce, { authTagLength: tagBytes })
        decipher.setAAD(bind(keyId, place))
        decipher.setAuthTag(ciphertext.subarray(-tagBytes))
        const opened = [decipher.update(ciphertext.subarray(0, -tagBytes)), decipher.final()]
        return Buffer.concat(opened).toString('utf8')
      } catch (cause) {
        throw new SecretUnreadable('not_authentic', { cause })
      }
    },
  }
}

/** JSON distinguishes `["a","bc"]` from `["ab","c"]`. */
function bind(keyId: string, place: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(['ratchet secret v1', keyId, ...place]))
}
