import { createHash } from 'node:crypto'
import { mintApiKey } from '@ratchet/contracts/api-key'
import type { Kind } from './secret-span.ts'

/** A generated secret: the text in which it is written, and the part that must be redacted. */
export interface MadeSecret {
  readonly text: string
  readonly core: string
}

/** How to generate a secret of a kind. This file itself contains nothing that looks like a real one. */
export interface SecretRecipe {
  readonly kind: Kind
  readonly make: (random: () => number) => MadeSecret
}

export const digits = '0123456789'
export const hex = `${digits}abcdef`
export const lower = 'abcdefghijklmnopqrstuvwxyz'
export const upper = lower.toUpperCase()
export const letters = lower + upper
export const alnum = digits + letters
export const dashed = `${alnum}_-`
export const base64 = `${alnum}+/`
export const capitals = digits + upper
export const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
export const bech32 = 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'

/** `length` characters, each from `set`. */
export function pick(random: () => number, set: string, length: number): string {
  let text = ''
  for (let at = 0; at < length; at++) text += set.charAt(Math.floor(random() * set.length))
  return text
}

export function token(kind: Kind, prefix: string, set: string, length: number, suffix = ''): SecretRecipe {
  return {
    kind,
    make: (random) => {
      const text = prefix + pick(random, set, length) + suffix
      return { text, core: text }
    },
  }
}

export function whole(kind: Kind, make: (random: () => number) => string): SecretRecipe {
  return {
    kind,
    make: (random) => {
      const text = make(random)
      return { text, core: text }
    },
  }
}

/** A secret that is recognized only by the text around it. */
export function within(kind: Kind, before: string, make: (random: () => number) => string, after = ''): SecretRecipe {
  return {
    kind,
    make: (random) => {
      const core = make(random)
      return { text: before + core + after, core }
    },
  }
}

/** Letters, digits and symbols, as a person or a password manager would choose. */
export function password(random: () => number): string {
  return `${pick(random, upper, 2)}${pick(random, lower, 4)}${pick(random, digits, 3)}${pick(random, '!#%^*+_-', 1)}${pick(random, alnum, 4)}`
}

/** Random characters with at least two digits, which generated keys nearly always have. */
export const mixed = (length: number) => (random: () => number) =>
  `${pick(random, alnum, 4)}4${pick(random, letters, 2)}${pick(random, alnum, length - 10)}7Q${pick(random, lower, 1)}`
const base64url = (text: string) => Buffer.from(text).toString('base64url')

export function jwt(random: () => number): string {
  const header = base64url(JSON.stringify({ alg: 'HS256', typ: 'JWT' }))
  const payload = base64url(JSON.stringify({ sub: pick(random, alnum, 12), iat: 1_700_000_000 }))
  return `${header}.${payload}.${pick(random, dashed, 43)}`
}

export function armour(label: string): (random: () => number) => string {
  return (random) => {
    const lines = Array.from({ length: 6 }, () => pick(random, base64, 64))
    const mark = (word: string) => `${'-'.repeat(5)}${word} ${label}${'-'.repeat(5)}`
    return [mark('BEGIN'), ...lines, `${pick(random, base64, 30)}==`, mark('END')].join('\n')
  }
}

export function ownKey(prefix: string): (random: () => number) => string {
  return (random) => mintApiKey(prefix, (count) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256)))
}

/** A private key of Bitcoin as wallets export it: a version, the key, a mark, and a checksum. */
export function walletKey(version: number, mark: readonly number[]): (random: () => number) => string {
  return (random) => {
    const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest()
    const payload = Buffer.from([version, ...Array.from({ length: 32 }, () => Math.floor(random() * 256)), ...mark])
    let number = BigInt(`0x${Buffer.concat([payload, sha(sha(payload)).subarray(0, 4)]).toString('hex')}`)
    let text = ''
    for (; number > 0n; number /= 58n) text = base58.charAt(Number(number % 58n)) + text
    return text
  }
}

export const encoded = (encoding: 'base64' | 'hex', make: (random: () => number) => string) => (random: () => number) =>
  Buffer.from(make(random)).toString(encoding)
