import { randomBytes } from 'node:crypto'
import { createByteSeal } from './byte-seal.ts'
import { parseNamedKeys } from './identity.ts'
import { SecretUnreadable } from './secret-box.ts'

const k0 = `k0:${Buffer.alloc(32, 1).toString('base64')}`
const k1 = `k1:${Buffer.alloc(32, 2).toString('base64')}`
const text = Buffer.from('a prompt with sk-proj-0123456789 in it')
const monday = '2026-11-23T23:59:59Z'

function sealWith(keys: string, { purpose = 'captures', at = monday } = {}) {
  return createByteSeal({ keys: parseNamedKeys(keys), purpose, randomBytes, now: () => new Date(at) })
}

const seal = sealWith(k0)

function reasonOf(open: () => Buffer): string {
  try {
    return `opened ${open()}`
  } catch (error) {
    if (error instanceof SecretUnreadable) return error.reason
    throw error
  }
}

it('opens what it sealed, of any size', () => {
  for (const bytes of [Buffer.alloc(0), text, randomBytes(1_000_000)]) {
    expect(seal.open(seal.seal(bytes, 'a'), 'a').equals(bytes)).toBe(true)
  }
})

it('seals parts of any size as if they were joined', () => {
  const lengths = [0, 10, 65_535, 1, 65_536, 3, 3, 200_000, 60_000, 60_000, 0]
  const parts = lengths.map((length) => randomBytes(length))
  expect(seal.open(seal.seal(parts, 'a'), 'a').equals(Buffer.concat(parts))).toBe(true)
  expect(seal.open(seal.seal([], 'a'), 'a')).toHaveLength(0)
})

it('names the key and the day, and contains nothing of the text', () => {
  const sealed = seal.seal(text, 'a')
  expect(sealed.toString('latin1', 1, 14)).toBe('k0 2026-11-23')
  for (let at = 0; at + 4 <= text.length; at++) expect(sealed.includes(text.subarray(at, at + 4))).toBe(false)
})

it('never seals the same text as the same bytes', () => {
  const all = Array.from({ length: 100 }, () => seal.seal(text, 'a').toString('hex'))
  expect(new Set(all).size).toBe(100)
})

it.each([
  ['in another place', seal, 'b'],
  ['for another purpose', sealWith(k0, { purpose: 'cached answers' }), 'a'],
  ['with another secret under the same id', sealWith(k1.replace('k1', 'k0')), 'a'],
])('does not open %s', (_how, other, place) => {
  expect(reasonOf(() => other.open(seal.seal(text, 'a'), place))).toBe('not_authentic')
})

it('does not open after any byte was changed, or the end was cut off', () => {
  const sealed = seal.seal(Buffer.from('abc'), 'a')
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(reasonOf(() => seal.open(changed, 'a'))).toMatch(/^(not_authentic|unknown_key)$/)
    expect(reasonOf(() => seal.open(sealed.subarray(0, at), 'a'))).toMatch(/^(not_authentic|unknown_key)$/)
  }
})

it('rotates: the first key seals, every key opens, a removed key does not', () => {
  const old = seal.seal(text, 'a')
  const rotated = sealWith(`${k1},${k0}`)
  expect(rotated.open(old, 'a')).toEqual(text)
  const fresh = rotated.seal(text, 'a')
  expect(reasonOf(() => seal.open(fresh, 'a'))).toBe('unknown_key')
  expect(sealWith(`${k0},${k1}`).open(fresh, 'a')).toEqual(text)
  expect(reasonOf(() => sealWith(k1).open(old, 'a'))).toBe('unknown_key')
})

it('opens on later days what it sealed, with the key of that day', () => {
  const sealed = seal.seal(text, 'a')
  const later = sealWith(k0, { at: '2026-12-24T00:00:00Z' })
  expect(later.open(sealed, 'a')).toEqual(text)
  expect(later.seal(text, 'a').toString('latin1', 1, 14)).toBe('k0 2026-12-24')
  const redated = Buffer.concat([sealed.subarray(0, 13), Buffer.from('4'), sealed.subarray(14)])
  expect(reasonOf(() => seal.open(redated, 'a'))).toBe('not_authentic')
})
