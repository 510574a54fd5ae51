import { createHash } from 'node:crypto'
import { deriveBillingId } from './billing-id.ts'
import { hashIdempotencyKey } from './idempotency-key.ts'

const work = {
  workspaceId: '00000000-0000-7000-8000-000000000001',
  keyHash: hashIdempotencyKey('key'),
  generation: 1_795_262_400_000_000n,
}

it('is a UUIDv8 of the SHA-256 of the claim', () => {
  const name = JSON.stringify([work.workspaceId, work.keyHash.toString('hex'), '1795262400000000'])
  const digest = createHash('sha256').update(name).digest('hex')
  const id = deriveBillingId(work)

  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(id.slice(0, 13)).toBe(`${digest.slice(0, 8)}-${digest.slice(8, 12)}`)
  expect(deriveBillingId({ ...work })).toBe(id)
})

it.each([
  { workspaceId: '00000000-0000-7000-8000-000000000002' },
  { keyHash: hashIdempotencyKey('other') },
  { generation: work.generation + 1n },
])('is different for a different claim', (changes) => {
  expect(deriveBillingId({ ...work, ...changes })).not.toBe(deriveBillingId(work))
})
