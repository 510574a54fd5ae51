import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import type { QuietRun, RunPicks } from './run-picks.ts'
import { sampleRuns } from './sample-runs.ts'

const at = new Date('2026-03-01T12:00:00Z')
const asked = { workspaceId: 'w', at, filter: {}, maxSteps: 10, seed: 0 }

function quiet(id: string, steps: number, more: Partial<QuietRun> = {}): QuietRun {
  return { id, steps, lastAt: new Date(at.getTime() - 3_600_000), lastFinishReason: 'stop', ...more }
}

/** A fake of the store with runs in this order, and the steps of those that were not deleted. */
function picksOf(runs: readonly QuietRun[], gone: readonly string[] = []): Pick<RunPicks, 'quiet' | 'stepsOf'> {
  return {
    quiet: async () => runs,
    async stepsOf(_scope, traceIds) {
      const there = runs.filter(({ id }) => traceIds.includes(id) && !gone.includes(id))
      return there.flatMap(({ id, steps }) =>
        Array.from({ length: steps }, (_, index) => ({ id: `${id}${index}`, traceId: id }) as LoggedExchange),
      )
    },
  }
}

const drawn = async (picks: Pick<RunPicks, 'quiet' | 'stepsOf'>, maxSteps = 10) => {
  const { runs } = await sampleRuns(picks, { ...asked, maxSteps })
  return runs.map(({ traceId, steps }) => [traceId, steps.length])
}

it('takes runs in their order while they fit, and none behind the first that does not fit', async () => {
  const picks = picksOf([quiet('a', 4), quiet('b', 6), quiet('c', 1)])
  expect(await drawn(picks)).toEqual([
    ['a', 4],
    ['b', 6],
  ])
  expect(await drawn(picks, 9)).toEqual([['a', 4]])
  expect(await drawn(picks, 3)).toEqual([])
  expect(await drawn(picks, 11)).toHaveLength(3)
})

it('skips runs that are not completed, and counts the others', async () => {
  const picks = picksOf([quiet('a', 4), quiet('b', 6, { lastFinishReason: 'length' }), quiet('c', 1)])
  expect(await sampleRuns(picks, asked)).toMatchObject({ totalRuns: 2, eligibleSteps: 5 })
  expect(await drawn(picks)).toEqual([
    ['a', 4],
    ['c', 1],
  ])
})

it('leaves out a run that was deleted meanwhile', async () => {
  expect(await drawn(picksOf([quiet('a', 4), quiet('b', 2)], ['a']))).toEqual([['b', 2]])
})
