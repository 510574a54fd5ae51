import { eventually } from '@ratchet/testing/eventually'
import { delayOf, repeatEvery } from './repeat-every.ts'

it('runs again after a failure, never twice at once, and not after its stop', async () => {
  let running = 0
  let most = 0
  let runs = 0
  const errors: unknown[] = []
  const stop = repeatEvery({
    everyMs: 1,
    onError: (error) => errors.push(error),
    work: async () => {
      runs += 1
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      throw new Error(`run ${runs}`)
    },
  })
  await eventually(() => runs >= 3)
  await stop()
  const atStop = runs
  await someTime()
  expect({ runs, most, running }).toEqual({ runs: atStop, most: 1, running: 0 })
  expect(errors).toHaveLength(runs)
})

it('asks after each run how long to wait', async () => {
  const waits = [1, 1, 3_600_000]
  let runs = 0
  const stop = repeatEvery({
    everyMs: () => waits.shift() ?? 1,
    onError: () => undefined,
    work: async () => (runs += 1),
  })
  await eventually(() => waits.length === 0)
  await someTime()
  expect(runs).toBe(2)
  await stop()
})

it.each([
  [20, 123, 20],
  [999, 123, 999],
  [1_000, 4_000, 1_000],
  [1_000, 4_020, 980],
  [1_000, 4_500, 1_500],
  [1_500, 4_400, 1_600],
  [600_000, 300, 599_700],
])(
  'waits for the nearest whole second of the process when the interval is a second or more: %d ms at %d',
  (everyMs, nowMs, delay) => {
    expect(delayOf(everyMs, nowMs)).toBe(delay)
  },
)

/** Long enough for three runs of another repetition. */
async function someTime(): Promise<void> {
  let runs = 0
  const stop = repeatEvery({ everyMs: 1, onError: () => undefined, work: async () => (runs += 1) })
  await eventually(() => runs >= 3)
  await stop()
}
