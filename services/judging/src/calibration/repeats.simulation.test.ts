import { describeRates } from '@ratchet/testing/describe-rates'
import { drawRepeated, repeatabilityOf, repeatsOf } from './repeats.ts'

interface Judge {
  /** Rows of the calibration. */
  readonly rows: number
  /** Share of the rows about which the judge is not sure. */
  readonly unsure: number
  /** Probability that it fails one of these; it gives the same verdict on all others each time. */
  readonly fails: number
}

/** Whether the interval of a calibration misses how often the judge agrees with itself on all rows. */
function misses({ rows, unsure, fails }: Judge) {
  return (random: () => number): boolean => {
    const items = Array.from({ length: rows }, (_, index) => ({ itemKey: `log ${index}`, isSure: random() >= unsure }))
    const judged = ({ itemKey: labelId, isSure }: (typeof items)[number]) => {
      const verdict = !isSure && random() < fails ? ('fail' as const) : ('pass' as const)
      return { labelId, verdict, failure: null }
    }
    const repeats = repeatsOf(items.map(judged), drawRepeated(items, `run ${random()}`).map(judged))
    if (repeats === null) return true
    const again = items.reduce((sum, { isSure }) => sum + (isSure ? 1 : fails ** 2 + (1 - fails) ** 2), 0) / rows
    const { low, high } = repeatabilityOf(repeats).interval
    return again < low || again > high
  }
}

const world = (judge: Judge, title: string) => ({
  title,
  atMost: 0.05,
  runs: 200,
  fullRuns: 10_000,
  happens: misses(judge),
})

describeRates('misses of the interval for how often a judge agrees with itself', [
  world({ rows: 200, unsure: 0, fails: 0.5 }, '200 rows, sure of all'),
  world({ rows: 200, unsure: 0.05, fails: 0.5 }, '200 rows, unsure of 5 %'),
  world({ rows: 200, unsure: 0.3, fails: 0.2 }, '200 rows, unsure of 30 %'),
  world({ rows: 200, unsure: 1, fails: 0.5 }, '200 rows, a coin'),
  world({ rows: 20, unsure: 0.2, fails: 0.3 }, '20 rows, all judged twice, unsure of 20 %'),
  world({ rows: 1_000, unsure: 0.1, fails: 0.5 }, '1 000 rows, unsure of 10 %'),
  world({ rows: 3_000, unsure: 0.02, fails: 0.4 }, '3 000 rows, unsure of 2 %'),
])
