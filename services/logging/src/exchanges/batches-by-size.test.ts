import fc from 'fast-check'
import { batchesBySize } from './batches-by-size.ts'

const limits = { bytesOf: (size: number) => size, maxBytes: 100, maxItems: 3 }

it('keeps the order, and exceeds a limit only for an item that is too large by itself', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 150 })), (sizes) => {
      const batches = [...batchesBySize(sizes, limits)]
      expect(batches.flat()).toEqual(sizes)
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(limits.maxItems)
        const bytes = batch.reduce((sum, size) => sum + size, 0)
        expect(batch.length === 1 || bytes <= limits.maxBytes).toBe(true)
      }
    }),
  )
})

it('begins a batch only where the next item does not fit', () => {
  expect([...batchesBySize([60, 40, 1, 200, 1, 1, 1, 1], limits)]).toEqual([[60, 40], [1], [200], [1, 1, 1], [1]])
})
