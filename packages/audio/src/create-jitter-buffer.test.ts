import fc from 'fast-check'
import { createJitterBuffer } from './create-jitter-buffer.ts'
import { seededRandom } from './readable-speech/noise.fixture.ts'

/** A loud frame that says which packet it is. */
const frameOf = (number: number) => new Int16Array(160).fill(1_000 + (number % 10_000))
const numberOf = (frame: Int16Array) => (frame[0] ?? 0) - 1_000

interface Arrival {
  readonly number: number
  readonly atMs: number
}

/** Plays arrivals against a ticker of 20 ms. @returns what came out, one entry per tick */
function play(arrivals: readonly Arrival[], { first = 0, frame = frameOf, tickMs = 20 } = {}) {
  const buffer = createJitterBuffer()
  const sorted = arrivals.toSorted((a, b) => a.atMs - b.atMs)
  const out: (number | null)[] = []
  let i = 0
  const end = (sorted.at(-1)?.atMs ?? 0) + 1_600
  for (let now = 0; now <= end; now += tickMs) {
    for (; (sorted[i]?.atMs ?? Number.POSITIVE_INFINITY) <= now; i++) {
      const { number, atMs } = sorted[i]!
      buffer.put((first + number) & 0xffff, frame(number), atMs)
    }
    const taken = buffer.take()
    out.push(taken === null ? null : numberOf(taken))
  }
  return { out, buffer }
}

const present = (out: readonly (number | null)[]) => out.filter((number) => number !== null)

it('gives out every packet once and in order when arrival varies by less than it waits', () => {
  fc.assert(
    fc.property(fc.nat({ max: 0xffff }), fc.nat(), (first, seed) => {
      const random = seededRandom(seed)
      const arrivals = Array.from({ length: 200 }, (_, number) => ({ number, atMs: 20 * number + 18 * random() }))
      const { out, buffer } = play([...arrivals, ...arrivals.slice(0, 20)], { first })
      expect(present(out)).toEqual(arrivals.map(({ number }) => number))
      expect(buffer.counts).toMatchObject({ lost: 0, late: 0 })
    }),
    { numRuns: 50 },
  )
})

it('never gives out a packet twice or out of order, whatever arrives', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat({ max: 60 }), fc.integer({ min: 0, max: 1_500 })), { maxLength: 100 }),
      (packets) => {
        const { out, buffer } = play(
          packets.map(([number, atMs]) => ({ number, atMs })),
          { first: 65_500 },
        )
        const numbers = present(out)
        for (const [i, number] of numbers.entries()) if (i > 0) expect(number).toBeGreaterThan(numbers[i - 1]!)
        expect(buffer.depth).toBe(0)
      },
    ),
    {
      examples: [
        [[[0, 0]]],
        [
          [
            [1, 0],
            [0, 5],
          ],
        ],
      ],
    },
  )
})

it('waits longer when packets come in bursts, so that after a second nearly none is late', () => {
  const random = seededRandom(7)
  const arrivals = Array.from({ length: 1_500 }, (_, number) => ({ number, atMs: 20 * number + 80 * random() }))
  const { out } = play(arrivals)
  const later = present(out).filter((number) => number >= 100)
  expect(later.length).toBeGreaterThan(1_400 * 0.98)
})

it('says which frames were lost, and keeps those after them in time', () => {
  const arrivals = Array.from({ length: 100 }, (_, number) => ({ number, atMs: 20 * number })).filter(
    ({ number }) => number % 10 !== 5,
  )
  const { out, buffer } = play(arrivals)
  expect(present(out)).toEqual(arrivals.map(({ number }) => number))
  expect(buffer.counts.lost).toBe(10)
  expect(out.indexOf(99) - out.indexOf(0)).toBe(99)
})

it('does not delay speech more and more when the clocks differ by 100 parts per million for half an hour', () => {
  const minutes = 30
  const count = minutes * 60 * 50
  const arrivals = Array.from({ length: count }, (_, number) => ({ number, atMs: 20 * number * (1 - 1e-4) }))
  // Every second has some silent frames.
  const frame = (number: number) => (number % 50 < 10 ? new Int16Array(160) : frameOf(number))
  const { out, buffer } = play(arrivals, { frame })
  const loud = present(out).filter((number) => number >= 0)
  expect(loud).toHaveLength(count * 0.8)
  // The sender is 180 ms ahead in the end.
  expect(buffer.counts.trimmed).toBeGreaterThanOrEqual(6)
  expect(out.findLastIndex((number) => number !== null) * 20 - (arrivals.at(-1)?.atMs ?? 0)).toBeLessThan(140)
})

it('begins anew when the sender does', () => {
  const before = Array.from({ length: 20 }, (_, number) => ({ number, atMs: 20 * number }))
  const after = Array.from({ length: 20 }, (_, i) => ({ number: 5_000 + i, atMs: 400 + 20 * i }))
  const { out } = play([...before, ...after])
  expect(present(out).slice(-20)).toEqual(after.map(({ number }) => number))
})
