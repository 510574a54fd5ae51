import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { NamedKey } from './identity.ts'
import { SecretUnreadable } from './secret-box.ts'

/** Encrypts bytes that wait in a store for a while, such as captured exchanges and cached answers in Redis. */
export interface ByteSeal {
  /**
   * Encrypts bytes for one place.
   *
   * @param bytes in one or several parts, which are sealed as if they were joined
   * @param place what the bytes belong to, such as their key in Redis; they open nowhere else
   */
  seal(bytes: Uint8Array | readonly Uint8Array[], place: string): Buffer
  /** @throws SecretUnreadable for an unknown key, another place, or a changed byte */
  open(sealed: Buffer, place: string): Buffer
}

export interface ByteSealOptions {
  /** The first one seals, all open: put a new one in front to rotate. */
  readonly keys: readonly [NamedKey, ...NamedKey[]]
  /** What the keys seal. Bytes that were sealed for another purpose do not open. */
  readonly purpose: string
  readonly randomBytes: (count: number) => Uint8Array
  readonly now: () => Date
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
/** Derived keys that are remembered: those of some weeks. */
const maxDerived = 64
/**
 * Bytes that are encrypted at a time. Memory of more than 128 KB is new to the process each time (`memorySettings` of the
 * fleet), and to use a megabyte of it costs more than to encrypt it.
 */
const pieceBytes = 65_536
const headerPattern = /^([A-Za-z0-9]{1,16}) \d{4}-\d{2}-\d{2}$/

/**
 * AES-256-GCM with a key of the day, derived by HKDF, and a random nonce for each message. One key may seal 2^32 messages
 * (NIST SP 800-38D, §8.3), far more than a day has.
 *
 * Sealed bytes begin with the length of their header (one byte) and the header, which names key and day. The nonce, the
 * encrypted bytes and the tag follow.
 */
export function createByteSeal({ keys, purpose, randomBytes, now }: ByteSealOptions): ByteSeal {
  const derived = new Map<string, KeyObject>()
  const keyOf = (header: string) => {
    const known = derived.get(header)
    if (known !== undefined) return known
    const [, id] = headerPattern.exec(header) ?? []
    const named = keys.find((each) => each.id === id)
    if (named === undefined) throw new SecretUnreadable('unknown_key')
    // A cipher with a key of another kind than KeyObject costs five times as much.
    const key = createSecretKey(
      Buffer.from(hkdfSync('sha256', named.secret, '', `ratchet seal ${purpose} ${header}`, 32)),
    )
    if (derived.size >= maxDerived) derived.delete(derived.keys().next().value ?? '')
    derived.set(header, key)
    return key
  }
  const bind = (header: string, place: string) => Buffer.from(JSON.stringify(['ratchet seal v1', header, place]))
  return {
    seal(bytes, place) {
      const header = `${keys[0].id} ${now().toISOString().slice(0, 10)}`
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, keyOf(header), nonce, { authTagLength: tagBytes })
      cipher.setAAD(bind(header, place))
      const pieces = bytes instanceof Uint8Array ? [bytes] : inPieces(bytes)
      const encrypted = pieces.map((piece) => cipher.update(piece))
      const ending = [cipher.final(), cipher.getAuthTag()]
      return Buffer.concat([Buffer.of(header.length), Buffer.from(header), nonce, ...encrypted, ...ending])
    },
    open(sealed, place) {
      const nonceAt = 1 + (sealed[0] ?? 0)
      const textAt = nonceAt + nonceBytes
      if (sealed.length < textAt + tagBytes) throw new SecretUnreadable('not_authentic')
      const header = sealed.toString('latin1', 1, nonceAt)
      const key = keyOf(header)
      try {
        const nonce = sealed.subarray(nonceAt, textAt)
        const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
        decipher.setAAD(bind(header, place))
        decipher.setAuthTag(sealed.subarray(-tagBytes))
        const opened = decipher.update(sealed.subarray(textAt, -tagBytes))
        decipher.final()
        return opened
      } catch (cause) {
        throw new SecretUnreadable('not_authentic', { cause })
      }
    },
  }
}

/** The parts in order, small ones joined, because each call of the cipher has a cost of its own. */
function inPieces(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  let small: Uint8Array[] = []
  let smallBytes = 0
  const endPiece = () => {
    if (small.length > 0) pieces.push(Buffer.concat(small, smallBytes))
    small = []
    smallBytes = 0
  }
  for (const part of parts) {
    if (smallBytes + part.length > pieceBytes) endPiece()
    if (part.length >= pieceBytes) pieces.push(part)
    else {
      small.push(part)
      smallBytes += part.length
    }
  }
  endPiece()
  return pieces
}
