import fc from 'fast-check'
import { createPcmRing } from './create-pcm-ring.ts'

it('holds the end of everything that was written', () => {
  const pieces = fc.array(fc.array(fc.integer({ min: -32_768, max: 32_767 }), { maxLength: 30 }))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), pieces, fc.nat({ max: 40 }), (capacity, written, count) => {
      const ring = createPcmRing(capacity)
      for (const piece of written) ring.write(Int16Array.from(piece))
      const all = written.flat()
      const expected = Math.min(count, capacity) === 0 ? [] : all.slice(-Math.min(count, capacity))
      expect([...ring.latest(count)]).toEqual(expected)
      expect(ring.written).toBe(all.length)
      ring.clear()
      expect(ring.latest(count)).toHaveLength(0)
    }),
  )
})
