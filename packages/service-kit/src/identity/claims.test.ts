import fc from 'fast-check'
import { Claims, readClaims } from './claims.ts'

const id = '018f3c5e-7c00-7000-8000-000000000001'
const plain = {
  workspaceId: id,
  userId: '00000000-0000-0000-0000-000000000000',
  role: 'owner',
  keyId: id.toUpperCase(),
  aud: 'inference',
  iat: 1_700_000_000,
  exp: 1_700_000_030,
  rid: 'r1',
  method: 'POST',
  path: 'abc',
}
const session = { id, mayGrade: true, isFresh: false }
const spendCap = { id, capNano: '100', windowStart: '2026-11-30T00:00:00Z' }

/** Values that a member may have, right and wrong. */
const values: readonly unknown[] = [
  ...Object.values(plain),
  ...['admin', 'guest', '', 'voice', `${id} `, `${id}\n`, id.replace('-7000-', '-0000-'), 'judge'],
  ...[null, undefined, 0, -1, 1.5, Number.POSITIVE_INFINITY, Number.NaN, true, [], [id], {}, session, spendCap],
]
const names = [...Object.keys(plain), 'session', 'purpose', 'spendCap', 'channel', 'other', 'constructor']

function byZod(value: unknown): Claims | null {
  return Claims.safeParse(value).data ?? null
}

it('reads what zod reads, whatever was changed in the claims of a request', () => {
  const change = fc.record({
    name: fc.constantFrom(...names),
    value: fc.constantFrom(...values),
    isRemoved: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 3 }), (changes) => {
      const claims: Record<string, unknown> = { ...plain }
      for (const { name, value, isRemoved } of changes) {
        if (isRemoved) delete claims[name]
        else claims[name] = value
      }
      expect(readClaims(claims)).toEqual(byZod(claims))
    }),
    { numRuns: 3_000 },
  )
})

it.each([
  ['a key', plain],
  ['a session', { ...plain, keyId: null, session }],
  ['a purpose', { ...plain, purpose: 'judge' }],
  ['a channel', { ...plain, keyId: null, channel: 'voice' }],
  ['a purpose with a cap', { ...plain, purpose: 'judge', spendCap }],
])('reads the claims of a request with %s', (_name, claims) => {
  expect(readClaims(claims)).toEqual(claims)
  expect(byZod(claims)).toEqual(claims)
})

it.each([
  ['a key and a session', { ...plain, session }],
  ['neither a key nor a session', { ...plain, keyId: null }],
  ['a key and a channel', { ...plain, channel: 'voice' }],
  ['a purpose and a channel', { ...plain, keyId: null, purpose: 'judge', channel: 'voice' }],
  ['a cap without a purpose', { ...plain, spendCap }],
  ['no object', 'claims'],
  ['nothing', null],
])('refuses %s', (_name, claims) => {
  expect(readClaims(claims)).toBeNull()
  expect(byZod(claims)).toBeNull()
})
