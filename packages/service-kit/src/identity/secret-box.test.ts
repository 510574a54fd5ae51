import { randomBytes } from 'node:crypto'
import { parseNamedKeys } from './identity.ts'
import { createSecretBox, type SealedSecret, SecretUnreadable } from './secret-box.ts'

const k0 = `k0:${Buffer.alloc(32, 1).toString('base64')}`
const k1 = `k1:${Buffer.alloc(32, 2).toString('base64')}`
const secret = 'sk-provider-0123456789-ünïcödé'
const place = ['workspace-1', 'openai']

function boxWith(...keys: readonly string[]) {
  return createSecretBox({ keys: parseNamedKeys(keys.join(',')), randomBytes })
}

const box = boxWith(k0)

function reasonOf(open: () => string): string {
  try {
    open()
  } catch (error) {
    if (error instanceof SecretUnreadable) return error.reason
    throw error
  }
  return 'opened'
}

it('decrypts what it encrypted', () => {
  expect(box.open(box.seal(secret, place), place)).toBe(secret)
})

it('stores no part of the secret in plain text, and 16 bytes more than its length', () => {
  const { ciphertext } = box.seal(secret, place)
  expect(Buffer.from(ciphertext).includes(secret.slice(0, 4))).toBe(false)
  expect(ciphertext.length).toBe(Buffer.byteLength(secret) + 16)
})

it('encrypts with a random nonce of 12 bytes, so that the same secret is never stored as the same bytes', () => {
  const sealed = Array.from({ length: 100 }, () => box.seal(secret, place))
  expect(new Set(sealed.map(({ nonce }) => Buffer.from(nonce).toString('hex'))).size).toBe(100)
  expect(new Set(sealed.map(({ ciphertext }) => Buffer.from(ciphertext).toString('hex'))).size).toBe(100)
  expect(sealed[0]?.nonce.length).toBe(12)
})

it.each([
  ['another workspace', ['workspace-2', 'openai']],
  ['another provider', ['workspace-1', 'anthropic']],
  ['the same letters, divided differently', ['workspace-1o', 'penai']],
  ['fewer words', ['workspace-1']],
  ['more words', ['workspace-1', 'openai', '']],
])('does not decrypt in the place of %s', (_what, other) => {
  const sealed = box.seal(secret, place)
  expect(reasonOf(() => box.open(sealed, other))).toBe('not_authentic')
})

it('does not decrypt when any bit was changed', () => {
  const sealed = box.seal('abc', place)
  const flipped = (bytes: Uint8Array, bit: number) =>
    Uint8Array.from(bytes, (byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
  const changed: SealedSecret[] = [
    ...Array.from({ length: sealed.ciphertext.length * 8 }, (_, bit) => ({
      ...sealed,
      ciphertext: flipped(sealed.ciphertext, bit),
    })),
    ...Array.from({ length: sealed.nonce.length * 8 }, (_, bit) => ({ ...sealed, nonce: flipped(sealed.nonce, bit) })),
  ]
  expect(new Set(changed.map((each) => reasonOf(() => box.open(each, place))))).toEqual(new Set(['not_authentic']))
})

it('does not decrypt when it was truncated', () => {
  const sealed = box.seal('abc', place)
  for (let length = 0; length < sealed.ciphertext.length; length++) {
    const ciphertext = sealed.ciphertext.slice(0, length)
    expect(reasonOf(() => box.open({ ...sealed, ciphertext }, place))).toBe('not_authentic')
  }
})

it('does not decrypt with the nonce or the key id of another secret', () => {
  const both = boxWith(k1, k0)
  const [one, other] = [both.seal('one', place), both.seal('other', place)]
  expect(reasonOf(() => both.open({ ...one, nonce: other.nonce }, place))).toBe('not_authentic')
  expect(reasonOf(() => both.open({ ...one, keyId: 'k0' }, place))).toBe('not_authentic')
})

it('rotates: the first key encrypts, every key decrypts, a removed key does not', () => {
  const old = box.seal(secret, place)
  const rotated = boxWith(k1, k0)
  const fresh = rotated.seal(secret, place)
  expect([old.keyId, fresh.keyId]).toEqual(['k0', 'k1'])
  expect([rotated.open(old, place), rotated.open(fresh, place)]).toEqual([secret, secret])
  expect(reasonOf(() => boxWith(k1).open(old, place))).toBe('unknown_key')
})

it('has no part of the secret in its errors', () => {
  const sealed = box.seal(secret, place)
  const failure = (() => {
    try {
      return box.open(sealed, ['elsewhere'])
    } catch (error) {
      return error as Error
    }
  })()
  expect(failure).toBeInstanceOf(SecretUnreadable)
  expect(JSON.stringify([failure, String(failure), (failure as Error).stack])).not.toContain('provider')
})
