import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { isWellFormedApiKey, keyDisplayLength, keyRandomLength, mintApiKey } from './api-key.ts'

const prefix = 'sk_svc_'
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((some) => some.some((byte) => byte < 248))
const key = bytes.map((some) => mintApiKey(prefix, () => some))

it('has the prefix, 32 base62 characters and a checksum of 6', () => {
  fc.assert(
    fc.property(key, (minted) => {
      expect(minted).toMatch(/^sk_svc_[0-9A-Za-z]{38}$/)
      expect(isWellFormedApiKey(prefix, minted)).toBe(true)
    }),
  )
})

it('ends with the CRC-32 of everything before it, most significant digit first', () => {
  fc.assert(
    fc.property(key, (minted) => {
      const digits = minted.slice(-6)
      const value = [...digits].reduce((sum, digit) => sum * 62 + base62.indexOf(digit), 0)
      expect(value).toBe(crc32(minted.slice(0, -6)))
    }),
  )
})

it('uses every random character: two keys are never the same', () => {
  const keys = Array.from({ length: 1_000 }, () => mintApiKey(prefix, randomBytes))

  expect(new Set(keys.map((minted) => minted.slice(0, -6))).size).toBe(1_000)
})

it('gives every character the same probability: each stands for 4 byte values, and the rest are discarded', () => {
  const characters = Array.from({ length: 248 }, (_, byte) => mintApiKey('', () => Uint8Array.of(byte))[0])
  const counts = Map.groupBy(characters, (character) => character)

  expect([...counts.keys()].sort().join('')).toBe(base62)
  expect(new Set([...counts.values()].map((each) => each.length))).toEqual(new Set([4]))
  expect(mintApiKey('', () => Uint8Array.of(248, 255, 7)).slice(0, keyRandomLength)).toBe('7'.repeat(32))
})

it('detects any single changed character', () => {
  const anyCharacter = fc.oneof(fc.constantFrom(...base62), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
  fc.assert(
    fc.property(key, fc.nat(), anyCharacter, (minted, place, other) => {
      const at = place % minted.length
      fc.pre(minted[at] !== other)
      expect(isWellFormedApiKey(prefix, minted.slice(0, at) + other + minted.slice(at + 1))).toBe(false)
    }),
    { numRuns: 2_000 },
  )
})

it('detects two swapped adjacent characters', () => {
  fc.assert(
    fc.property(key, fc.nat(), (minted, place) => {
      const at = place % (minted.length - 1)
      const [one = '', two = ''] = minted.slice(at, at + 2)
      fc.pre(one !== two)
      expect(isWellFormedApiKey(prefix, minted.slice(0, at) + two + one + minted.slice(at + 2))).toBe(false)
    }),
    { numRuns: 2_000 },
  )
})

it('refuses other texts without throwing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
      expect(isWellFormedApiKey(prefix, text)).toBe(false)
    }),
  )
})

it.each([
  ['nothing', () => ''],
  ['the prefix alone', () => prefix],
  ['a character too few', (minted: string) => minted.slice(0, -1)],
  ['a character too many', (minted: string) => `${minted}0`],
  ['blanks around it', (minted: string) => ` ${minted}`],
  ['a line end after it', (minted: string) => `${minted}\n`],
  ['10 KB', (minted: string) => minted.repeat(250)],
])('refuses %s', (_, change) => {
  expect(isWellFormedApiKey(prefix, change(mintApiKey(prefix, randomBytes)))).toBe(false)
})

it('refuses the key of another brand', () => {
  expect(isWellFormedApiKey(prefix, mintApiKey('sk_acm_', randomBytes))).toBe(false)
})

it('shows people the prefix and too few characters to guess the rest', () => {
  expect(keyDisplayLength - prefix.length).toBe(5)
})
