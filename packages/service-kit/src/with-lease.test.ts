import { FleetCallError } from './fleet-client.ts'
import { decideRetry, type Leases, WorkPostponed, withLease } from './with-lease.ts'

function leasesOf(row: { readonly id: string } | null): Leases<{ readonly id: string }> {
  return { lease: async () => row, renew: async () => undefined }
}

it('does nothing for a row that is done, not due, or somebody else’s', async () => {
  let worked = false
  const work = async () => {
    worked = true
  }
  expect(await withLease(leasesOf(null), 'row', work)).toBeNull()
  expect(worked).toBe(false)
})

it('gives what was leased when the work is over', async () => {
  expect(await withLease(leasesOf({ id: 'row' }), 'row', async () => undefined)).toEqual({ id: 'row' })
})

it('tells of work that fails', async () => {
  const failing = withLease(leasesOf({ id: 'row' }), 'row', () => Promise.reject(new RangeError('no')))
  await expect(failing).rejects.toThrow(RangeError)
})

it.each([
  [0, 'retried', 2_000],
  [1, 'retried', 4_000],
  [3, 'retried', 16_000],
  [4, 'poisoned', 32_000],
] as const)('after %d failures another one is %s', (failures, kind, delayMs) => {
  expect(decideRetry(new Error('broken'), failures)).toEqual({ kind, error: 'broken', delayMs })
})

it('counts what is postponed as no failure, however often', () => {
  const cause = new WorkPostponed('no money', 60_000)
  expect(decideRetry(cause, 4)).toEqual({ kind: 'postponed', error: 'no money', delayMs: 60_000 })
})

it.each([401, 403])('counts it as no failure that a service of the fleet refuses who asks: %d', (status) => {
  const cause = new FleetCallError('who is that?', { status })
  expect(decideRetry(cause, 4)).toEqual({ kind: 'postponed', error: 'who is that?', delayMs: 2_000 })
})

it('counts what a service refuses for another reason', () => {
  expect(decideRetry(new FleetCallError('no such model', { status: 404 }), 4)).toMatchObject({ kind: 'poisoned' })
})
