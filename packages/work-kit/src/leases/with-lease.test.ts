import { type Leases, withLease } from './with-lease.ts'

function leasesOf(row: { readonly id: string } | null): Leases<{ readonly id: string }> {
  return { lease: async () => row, renew: async () => undefined }
}

it('does nothing for a row that is done, not due, or leased by another worker', async () => {
  let worked = false
  const work = async () => {
    worked = true
  }
  expect(await withLease(leasesOf(null), 'row', work)).toBeNull()
  expect(worked).toBe(false)
})

it('resolves with the leased row after the work', async () => {
  expect(await withLease(leasesOf({ id: 'row' }), 'row', async () => undefined)).toEqual({ id: 'row' })
})

it('rejects when the work fails', async () => {
  const failing = withLease(leasesOf({ id: 'row' }), 'row', () => Promise.reject(new RangeError('no')))
  await expect(failing).rejects.toThrow(RangeError)
})
