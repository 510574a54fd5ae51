import { Identity, SpendCap } from './identity.ts'

const someone = {
  workspaceId: '0195a2b0-0000-7000-8000-000000000002',
  userId: '0195a2b0-0000-7000-8000-000000000003',
  role: 'member',
  keyId: '0195a2b0-0000-7000-8000-000000000004',
}
const cap = { id: '0195a2b0-0000-7000-8000-000000000005', capNano: '1', windowStart: '2026-11-16T00:00:00.000Z' }

it('is a client, or a process of the fleet with its purpose', () => {
  const judge = { ...someone, purpose: 'judge', spendCap: cap }

  expect(Identity.parse(someone)).toEqual(someone)
  expect(Identity.parse(judge)).toEqual(judge)
  expect(Identity.safeParse({ ...someone, purpose: 'chat' }).success).toBe(false)
})

it.each([
  ['0', true],
  ['5000000000', true],
  ['8999999999999999999', true],
  ['9000000000000000000', false],
  ['01', false],
  ['-1', false],
  ['1.5', false],
  ['', false],
])('a cap of %s nano-dollars is one: %p', (capNano, isOne) => {
  expect(SpendCap.safeParse({ ...cap, capNano }).success).toBe(isOne)
})

it('a window begins at a moment in UTC', () => {
  expect(SpendCap.safeParse({ ...cap, windowStart: '2026-11-16' }).success).toBe(false)
  expect(SpendCap.safeParse({ ...cap, windowStart: '2026-11-16T00:00:00Z' }).success).toBe(true)
})
