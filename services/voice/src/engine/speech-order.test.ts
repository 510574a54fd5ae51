import fc from 'fast-check'
import { createSpeechOrder } from './speech-order.ts'

it('carries out what concerns pieces in the order of the pieces, whatever arrives first', () => {
  const arrivals = fc.array(fc.nat({ max: 3 }), { maxLength: 40 })
  fc.assert(
    fc.property(arrivals, (pieces) => {
      const order = createSpeechOrder()
      const done: string[] = []
      const counts = [0, 0, 0, 0]
      for (const piece of counts.keys()) order.begin(piece)
      for (const piece of pieces) {
        const number = (counts[piece] ?? 0) + 1
        counts[piece] = number
        order.whenItsTurn(piece, () => done.push(`${piece}:${number}`))
      }
      for (const piece of counts.keys()) order.whenItsTurn(piece, () => order.end(piece))
      const expected = counts.flatMap((count, piece) => Array.from({ length: count }, (_, i) => `${piece}:${i + 1}`))
      expect(done).toEqual(expected)
    }),
  )
})

it('forgets what a piece did before it began again, and passes over one that was cancelled', () => {
  const order = createSpeechOrder()
  const done: string[] = []
  for (const piece of [1, 2, 3]) order.begin(piece)
  order.whenItsTurn(2, () => done.push('old'))
  order.begin(2)
  order.whenItsTurn(3, () => done.push('third'))
  order.end(2)
  expect(done).toEqual([])
  order.end(1)
  expect(done).toEqual(['third'])
  order.whenItsTurn(2, () => done.push('never'))
  expect(done).toEqual(['third'])
})
