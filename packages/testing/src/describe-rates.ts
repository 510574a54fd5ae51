import { appendFileSync } from 'node:fs'
import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import { binomialTail } from '@ratchet/stats/special/binomial-tail'

/** A case with a known truth, in which something happens at a rate that the product promises. */
export interface SimulatedWorld {
  readonly title: string
  /** Highest promised rate of `happens`, 0..1. */
  readonly atMost?: number
  /** Lowest promised rate of `happens`, 0..1. */
  readonly atLeast?: number
  /** Number of runs in `npm test`, for which a few seconds are enough; 0 to run it only at full length. */
  readonly runs: number
  /** Number of runs of `npm run simulate`. */
  readonly fullRuns: number
  /** One run through the product's own code. @param random numbers in [0, 1), other ones in every run */
  readonly happens: (random: () => number, run: number) => boolean
}

/** A line of the report that `npm run simulate` prints. */
export interface SimulatedRate {
  /** Absolute path of the test that measured it. */
  readonly file: string
  readonly procedure: string
  readonly world: string
  readonly promised: string
  readonly runs: number
  readonly happened: number
}

/** A kept promise fails its test in one of this many sets of seeds; the seeds are fixed. */
const falseAlarm = 1 / 1_000

/**
 * Tests that a procedure has the rates that it promises: one test per world. `npm test` runs `runs` of each, `npm run
 * simulate` runs `fullRuns` and reports the rates.
 */
export function describeRates(procedure: string, worlds: readonly SimulatedWorld[]): void {
  const isFull = reportFile() !== undefined
  describe(procedure, () => {
    for (const world of worlds) {
      const test = () => {
        const rate = simulate(procedure, world, isFull ? world.fullRuns : world.runs)
        report(rate)
        expect(brokenPromise(world, rate)).toBeNull()
      }
      if (isFull) it(world.title, test, fullTimeoutMs)
      else if (world.runs > 0) it(world.title, test)
    }
  })
}

const fullTimeoutMs = 3_600_000

function simulate(procedure: string, world: SimulatedWorld, runs: number): SimulatedRate {
  let happened = 0
  for (let run = 0; run < runs; run += 1) {
    if (world.happens(randomFromSeed(`${procedure} ${world.title} ${run}`), run)) happened += 1
  }
  const { testPath: file = '' } = expect.getState()
  return { file, procedure, world: world.title, promised: promiseOf(world), runs, happened }
}

function promiseOf({ atMost, atLeast }: SimulatedWorld): string {
  const parts = [atLeast === undefined ? '' : `≥ ${atLeast}`, atMost === undefined ? '' : `≤ ${atMost}`]
  return parts.filter((part) => part !== '').join(', ')
}

/** What to say when a count would be very unlikely under the promised rate; null when it is likely enough. */
export function brokenPromise(
  { atMost, atLeast }: Pick<SimulatedWorld, 'atMost' | 'atLeast'>,
  { runs, happened }: Pick<SimulatedRate, 'runs' | 'happened'>,
): string | null {
  const isTooOften = atMost !== undefined && binomialTail(happened, { trials: runs, rate: atMost }) < falseAlarm
  const missed = runs - happened
  const isTooRare = atLeast !== undefined && binomialTail(missed, { trials: runs, rate: 1 - atLeast }) < falseAlarm
  return isTooOften || isTooRare ? `happened in ${happened} of ${runs} runs` : null
}

function report(rate: SimulatedRate): void {
  const file = reportFile()
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(rate)}\n`)
}

function reportFile(): string | undefined {
  // biome-ignore lint/style/noProcessEnv: the test runner says by this variable where the rates go
  return process.env.SIMULATION_REPORT
}
