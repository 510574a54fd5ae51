import { eventually } from '@ratchet/testing/eventually'
import { repeatEvery } from './repeat-every.ts'

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

/** Long enough for three runs of another repetition. */
async function someTime(): Promise<void> {
  let runs = 0
  const stop = repeatEvery({ everyMs: 1, onError: () => undefined, work: async () => (runs += 1) })
  await eventually(() => runs >= 3)
  await stop()
}
