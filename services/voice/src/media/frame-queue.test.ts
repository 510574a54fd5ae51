import fc from 'fast-check'
import { createFrameQueue } from './frame-queue.ts'

it('gives all samples of each utterance, in order, in frames of one utterance each', () => {
  const parts = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.array(fc.integer({ min: 1, max: 99 }))), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(parts, (pushed) => {
      const queue = createFrameQueue(8)
      const ordered = pushed.toSorted(([a], [b]) => a - b)
      for (const [utterance, samples] of ordered) queue.push(utterance, Int16Array.from(samples))
      const read = new Map<number, number[]>()
      for (let frame = queue.next(); frame !== null; frame = queue.next()) {
        expect(frame.pcm).toHaveLength(8)
        expect([...frame.pcm.subarray(frame.samples)]).toEqual(Array(8 - frame.samples).fill(0))
        read.set(frame.utterance, [...(read.get(frame.utterance) ?? []), ...frame.pcm.subarray(0, frame.samples)])
      }
      const expected = Map.groupBy(
        ordered.filter(([, samples]) => samples.length > 0),
        ([utterance]) => utterance,
      )
      expect(read).toEqual(new Map([...expected].map(([utterance, list]) => [utterance, list.flatMap(([, s]) => s)])))
    }),
  )
})

it('drops what is left of an utterance, and only of that', () => {
  const queue = createFrameQueue(2)
  queue.push(1, Int16Array.from([1, 2, 3, 4]))
  queue.push(2, Int16Array.from([5]))
  expect(queue.next()?.utterance).toBe(1)
  queue.clear(1)
  expect(queue.next()).toEqual({ utterance: 2, pcm: Int16Array.from([5, 0]), samples: 1 })
  expect(queue.next()).toBeNull()
})
