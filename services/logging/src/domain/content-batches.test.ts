import fc from 'fast-check'
import { contentBatches } from './content-batches.ts'

const expiresAt = new Date(0)
const limits = { bytes: 100, rows: 3 }

it('keeps the order, and goes over a limit only for a row that is too large by itself', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 150 })), (sizes) => {
      const rows = sizes.map((sizeBytes, index) => ({ id: String(index), expiresAt, sizeBytes }))
      const batches = contentBatches(rows, limits)
      expect(batches.flat()).toEqual(rows)
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(limits.rows)
        const bytes = batch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
        expect(batch.length === 1 || bytes <= limits.bytes).toBe(true)
      }
    }),
  )
})
