import fc from 'fast-check'
import { type PairedCounts, pairedDifference } from './paired-difference.ts'

/** The score statistic with the most likely shares found by search, without Tango's formula for them. */
function searchedScore({ wins, ties, losses }: PairedCounts, delta: number): number {
  const n = wins + ties + losses
  const likelihood = (loss: number) => {
    const [win, tie] = [loss + delta, 1 - 2 * loss - delta]
    const part = (count: number, share: number) => (count === 0 ? 0 : count * Math.log(Math.max(share, 1e-300)))
    return part(wins, win) + part(ties, tie) + part(losses, loss)
  }
  let [low, high] = [Math.max(0, -delta), (1 - delta) / 2]
  for (let step = 0; step < 200; step += 1) {
    const [left, right] = [low + (high - low) / 3, high - (high - low) / 3]
    if (likelihood(left) < likelihood(right)) low = left
    else high = right
  }
  const loss = (low + high) / 2
  return (wins - losses - n * delta) / Math.sqrt(n * (2 * loss + delta - delta ** 2))
}

describe('pairedDifference', () => {
  it.each([
    { wins: 30, ties: 50, losses: 20 },
    { wins: 3, ties: 90, losses: 7 },
    { wins: 0, ties: 97, losses: 3 },
    { wins: 12, ties: 0, losses: 9 },
  ])('ends where the score of the most likely shares is at its critical value: %j', (counts) => {
    const { difference, interval } = pairedDifference(counts)!
    expect(difference).toBeCloseTo((counts.wins - counts.losses) / (counts.wins + counts.ties + counts.losses), 12)
    expect(searchedScore(counts, interval.low)).toBeCloseTo(1.959964, 4)
    expect(searchedScore(counts, interval.high)).toBeCloseTo(-1.959964, 4)
  })

  it('has a width without wins and losses: z²/(n + z²) on each side', () => {
    const half = 3.841459 / 103.841459
    expect(pairedDifference({ wins: 0, ties: 100, losses: 0 })!.interval.low).toBeCloseTo(-half, 6)
    expect(pairedDifference({ wins: 0, ties: 100, losses: 0 })!.interval.high).toBeCloseTo(half, 6)
  })

  it('contains the difference, and is mirrored when wins and losses change places', () => {
    const count = fc.nat(200)
    fc.assert(
      fc.property(count, count, count, (wins, ties, losses) => {
        const found = pairedDifference({ wins, ties, losses })
        if (found === null) return wins + ties + losses === 0
        const { difference, interval } = found
        const mirrored = pairedDifference({ wins: losses, ties, losses: wins })!.interval
        return (
          interval.low <= difference &&
          difference <= interval.high &&
          Math.abs(interval.low + mirrored.high) < 1e-6 &&
          Math.abs(interval.high + mirrored.low) < 1e-6
        )
      }),
    )
  })

  it('is null without comparisons and refuses impossible counts', () => {
    expect(pairedDifference({ wins: 0, ties: 0, losses: 0 })).toBeNull()
    expect(() => pairedDifference({ wins: -1, ties: 0, losses: 0 })).toThrow(RangeError)
  })
})
