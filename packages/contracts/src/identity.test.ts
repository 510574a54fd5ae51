import { Identity, SpendCap } from './identity.ts'

const client = {
  workspaceId: '0195a2b0-0000-7000-8000-000000000002',
  userId: '0195a2b0-0000-7000-8000-000000000003',
  role: 'member',
  keyId: '0195a2b0-0000-7000-8000-000000000004',
}
const cap = { id: '0195a2b0-0000-7000-8000-000000000005', capNano: '1', windowStart: '2026-11-16T00:00:00.000Z' }

it('is that of a client, or of a process of the fleet with a purpose', () => {
  const judge = { ...client, purpose: 'judge', spendCap: cap }

  expect(Identity.parse(client)).toEqual(client)
  expect(Identity.parse(judge)).toEqual(judge)
  expect(Identity.safeParse({ ...client, purpose: 'chat' }).success).toBe(false)
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
])('accepts a cap of %s nano-dollars: %p', (capNano, isOne) => {
  expect(SpendCap.safeParse({ ...cap, capNano }).success).toBe(isOne)
})

it('requires the start of a window in UTC', () => {
  expect(SpendCap.safeParse({ ...cap, windowStart: '2026-11-16' }).success).toBe(false)
  expect(SpendCap.safeParse({ ...cap, windowStart: '2026-11-16T00:00:00Z' }).success).toBe(true)
})
