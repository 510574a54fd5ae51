import { randomBytes } from 'node:crypto'
import type { Identity, KeyIdentity } from '@ratchet/contracts/identity'
import fc from 'fast-check'
import {
  deriveAudienceKey,
  type IdentifiedRequest,
  type NamedKey,
  NamedKeys,
  parseNamedKeys,
  signIdentity,
  verifyIdentity,
} from './identity.ts'

const k1: NamedKey = { id: 'k1', secret: randomBytes(32) }
const k0: NamedKey = { id: 'k0', secret: randomBytes(32) }
const atMs = Date.parse('2026-11-21T12:00:00.000Z')

const request: IdentifiedRequest = {
  audience: 'inference',
  requestId: '0195a2b0-0000-7000-8000-000000000001',
  method: 'POST',
  path: '/v1/chat/completions?a=1',
}
const identity: KeyIdentity = {
  workspaceId: '0195a2b0-0000-7000-8000-000000000002',
  userId: '0195a2b0-0000-7000-8000-000000000003',
  role: 'admin',
  keyId: '0195a2b0-0000-7000-8000-000000000004',
}
const header = signIdentity(k1, request, identity, atMs)
const byEdge = (someone: unknown) => ({ caller: 'edge', identity: someone })

it('gives the service the identity that the edge signed', () => {
  fc.assert(
    fc.property(
      fc.record({
        workspaceId: fc.uuid(),
        userId: fc.uuid(),
        role: fc.constantFrom('owner', 'admin', 'member'),
        keyId: fc.uuid(),
      }),
      fc.record({ audience: fc.string(), requestId: fc.string(), method: fc.string(), path: fc.string() }),
      (someone, some) => {
        const signed = signIdentity(k1, some, someone, atMs)
        expect(verifyIdentity([k1], some, signed, atMs)).toEqual(byEdge(someone))
      },
    ),
  )
})

it('contains the purpose of an internal call, and a spend cap only with a purpose', () => {
  const spendCap = { id: identity.keyId, capNano: '5000000000', windowStart: '2026-11-16T00:00:00.000Z' }
  const verified = (claims: Partial<Identity>) =>
    verifyIdentity([k1], request, signIdentity(k1, request, { ...identity, ...claims }, atMs), atMs)?.identity ?? null

  expect(verified({ purpose: 'judge', spendCap })).toEqual({ ...identity, purpose: 'judge', spendCap })
  expect(verified({ purpose: 'eval' })).toEqual({ ...identity, purpose: 'eval' })
  expect(verified({ spendCap })).toBeNull()
})

it('has a key or a session, never both or none', () => {
  const session = { id: identity.workspaceId, mayGrade: true, isFresh: false }
  const verified = (claims: Partial<Identity>) =>
    verifyIdentity([k1], request, signIdentity(k1, request, { ...identity, ...claims }, atMs), atMs)?.identity ?? null

  expect(verified({ keyId: null, session })).toEqual({ ...identity, keyId: null, session })
  expect(verified({ session })).toBeNull()
  expect(verified({ keyId: null })).toBeNull()
})

it('is a valid header value', () => {
  expect(header).toMatch(/^v1\.k1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$/)
})

it.each([
  ['audience', 'judging'],
  ['requestId', '0195a2b0-0000-7000-8000-00000000ffff'],
  ['method', 'GET'],
  ['path', '/v1/chat/completions?a=2'],
])('is not valid for another %s', (field, other) => {
  expect(verifyIdentity([k1], { ...request, [field]: other }, header, atMs)).toBeNull()
})

it.each([
  ['when it is signed', 0, true],
  ['5 s before, for a clock that is behind', -5, true],
  ['6 s before', -6, false],
  ['30 s later, at its end', 30, true],
  ['35 s later, for a clock that is ahead', 35, true],
  ['36 s later', 36, false],
  ['a year later', 31_536_000, false],
])('is valid %s: %p s → %p', (_, seconds, holds) => {
  expect(verifyIdentity([k1], request, header, atMs + seconds * 1_000)).toEqual(holds ? byEdge(identity) : null)
})

it('remains valid during a rotation with two keys', () => {
  const old = signIdentity(k0, request, identity, atMs)

  expect(verifyIdentity([k1, k0], request, old, atMs)).toEqual(byEdge(identity))
  expect(verifyIdentity([k1, k0], request, header, atMs)).toEqual(byEdge(identity))
  expect(verifyIdentity([k1], request, old, atMs)).toBeNull()
})

it('is refused when another key with the same id signed it', () => {
  const forged = signIdentity({ id: 'k1', secret: randomBytes(32) }, request, identity, atMs)

  expect(verifyIdentity([k1], request, forged, atMs)).toBeNull()
})

it('is refused after any change of its text', () => {
  const edit = fc.oneof(
    fc.record({ at: fc.nat(), text: fc.string({ unit: 'binary', maxLength: 3 }), drop: fc.nat(3) }),
    fc.record({ at: fc.nat(), text: fc.constantFrom('=', '!', ' ', '.', 'A', '-'), drop: fc.constantFrom(0, 1) }),
  )
  fc.assert(
    fc.property(edit, ({ at, text, drop }) => {
      const place = at % (header.length + 1)
      const tampered = header.slice(0, place) + text + header.slice(place + drop)
      fc.pre(tampered !== header)
      expect(verifyIdentity([k1, k0], request, tampered, atMs)).toBeNull()
    }),
    { numRuns: 1_000 },
  )
})

it('is refused with any forged payload', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (payload) => {
      const [version, keyId, , signature] = header.split('.')
      const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
      expect(verifyIdentity([k1], request, `${version}.${keyId}.${text}.${signature}`, atMs)).toBeNull()
    }),
  )
})

it.each(['', 'v1', 'v1.k1', 'v1.k1.e30', 'v2.k1.e30.AA', '....', `${'a'.repeat(100_000)}`, 'v1.k1.e30.'])(
  'refuses a malformed header without throwing: %.20s',
  (text) => {
    expect(verifyIdentity([k1], request, text, atMs)).toBeNull()
  },
)

it('derives an independent key for every audience', () => {
  const master = randomBytes(32)
  const keys = ['inference', 'judging', ''].map((audience) => deriveAudienceKey(master, audience).toString('hex'))

  expect(new Set(keys).size).toBe(3)
  expect(keys[0]).toHaveLength(64)
  expect(deriveAudienceKey(master, 'inference').toString('hex')).toBe(keys[0])
  expect(deriveAudienceKey(randomBytes(32), 'inference').toString('hex')).not.toBe(keys[0])
})

describe('the list of keys in the environment', () => {
  const secret = (byte: number) => Buffer.alloc(32, byte)
  const text = `k1:${secret(1).toString('base64')}, k0:${secret(0).toString('base64')}`

  it('is read in order; the first key signs', () => {
    expect(parseNamedKeys(text)).toEqual([
      { id: 'k1', secret: secret(1) },
      { id: 'k0', secret: secret(0) },
    ])
    const drawn = `k1:${randomBytes(32).toString('base64')}, k0:${randomBytes(32).toString('base64')}`
    expect(NamedKeys.parse(drawn)).toEqual(parseNamedKeys(drawn))
  })

  it.each([
    ['nothing', Buffer.alloc(32)],
    ['one repeated letter', Buffer.alloc(32, 'a')],
    ['a word', Buffer.from('changemechangemechangemechangeme')],
    ['counting digits', Buffer.from('01234567890123456789012345678901')],
  ])('refuses a key of %s in a configuration', (_what, guessed) => {
    const { error } = NamedKeys.safeParse(`k7:${guessed.toString('base64')}`)
    expect(error?.issues[0]?.message).toMatch(/^the key k7 is not random/)
    expect(error?.issues[0]?.message).not.toContain(guessed.toString('base64').slice(0, 8))
  })

  it('refuses one key with two ids in a configuration', () => {
    const same = randomBytes(32).toString('base64')
    expect(NamedKeys.safeParse(`k1:${same},k0:${same}`).error?.issues[0]?.message).toBe('two ids of the same key')
  })

  it.each([
    '',
    'k1',
    'k1:',
    `k1:${Buffer.alloc(31).toString('base64')}`,
    `k1:${Buffer.alloc(33).toString('base64')}`,
    `k 1:${secret(1).toString('base64')}`,
    `:${secret(1).toString('base64')}`,
    `${'k'.repeat(17)}:${secret(1).toString('base64')}`,
    `k1:${secret(1).toString('base64')},`,
    `k1:${secret(1).toString('base64')},k1:${secret(2).toString('base64')}`,
  ])('is refused when it is %j', (wrong) => {
    expect(() => parseNamedKeys(wrong)).toThrow(RangeError)
    expect(NamedKeys.safeParse(wrong).success).toBe(false)
  })

  it('is not in the error message', () => {
    const wrong = `k1:${'h'.repeat(40)}`

    expect(NamedKeys.safeParse(wrong).error?.message).not.toContain('hhhh')
  })
})
