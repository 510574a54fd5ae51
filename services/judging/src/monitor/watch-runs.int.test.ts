import { randomUUID } from 'node:crypto'
import type { LoggedRun } from '@ratchet/contracts/internal-logs'
import { publicId } from '@ratchet/contracts/public-id'
import { storedCriterion } from '../criteria/criterion.fixture.ts'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { processJudgement } from '../judgements/process-judgement.ts'
import { type LabelDatabase, labelDatabase } from '../labels/label-database.fixture.ts'
import { judgingWith, passed } from '../runs/judged-work.fixture.ts'
import { createPgCapNotices } from './pg-cap-notices.ts'
import { createPgMonitor } from './pg-monitor.ts'
import { quietMs, watchRuns } from './watch-runs.ts'

let database: LabelDatabase
beforeAll(async () => {
  database = await labelDatabase()
})
afterAll(() => database.drop())

const at = new Date()
const ago = (ms: number) => new Date(at.getTime() - ms)
const judgements = () => createPgJudgements(database.pool)
const quiet = (ms: number) => ago(quietMs + ms)

interface Step {
  readonly tag?: string
  readonly cached?: boolean
  readonly canary?: boolean
}

function run(trace_id: string, lastAt: Date, { completed = true, steps = [{}] as readonly Step[] } = {}): LoggedRun {
  return {
    trace_id,
    completed,
    last_at: lastAt.toISOString(),
    expires_at: new Date(at.getTime() + 86_400_000).toISOString(),
    step_count: steps.length,
    steps: steps.map(
      (step) =>
        ({
          id: publicId('log', randomUUID()),
          tag: null,
          segment: 'none',
          cached: false,
          canary: false,
          ...step,
        }) as never,
    ),
  }
}

async function monitored(more: Partial<StoredCriterion> = {}): Promise<StoredCriterion> {
  const online = { onlineEnabled: true, onlinePercent: 100, workspaceId: randomUUID(), unit: 'trace' as const }
  const made = storedCriterion({ id: randomUUID(), ...online, ...more })
  await createPgCriteria(database.pool).create(made)
  return made
}

/** @param read collects the ids of runs whose steps are read */
function watch({ workspaceId }: StoredCriterion, runs: readonly LoggedRun[], read: string[] = []) {
  const sorted = runs.toSorted((one, other) => Date.parse(one.last_at) - Date.parse(other.last_at))
  return watchRuns({
    monitor: createPgMonitor(database.pool),
    capNotices: createPgCapNotices(database.pool),
    judgements: judgements(),
    log: {
      quietRuns: async (identity, { lastAt, traceId }, limit) =>
        sorted
          .map((each) => ({ traceId: each.trace_id, lastAt: new Date(each.last_at) }))
          .filter((each) => identity.workspaceId === workspaceId && each.lastAt <= ago(quietMs))
          .filter(
            (each) => each.lastAt > lastAt || (each.lastAt.getTime() === lastAt.getTime() && each.traceId > traceId),
          )
          .slice(0, limit),
      readRuns: async (_identity, traceIds) => {
        read.push(...traceIds)
        return sorted.filter((each) => traceIds.includes(each.trace_id))
      },
    },
    now: () => at,
    ingestLagMs: 1_000,
    enqueueJudgements: async () => undefined,
    onFailure: (_workspace, cause) => {
      throw cause
    },
  })
}

const startAt = ({ workspaceId }: StoredCriterion, lastAt: Date) =>
  createPgMonitor(database.pool).moveRunCursor(workspaceId, { lastAt, traceId: '' }, at)

async function watchedBy({ id }: StoredCriterion) {
  const text = `SELECT id, trace_id, cardinality(step_ids) AS steps, canary FROM judgement
    WHERE criterion_id = $1 AND source = 'online' ORDER BY item_at, trace_id`
  const { rows } = await database.operator.query<{ id: string; trace_id: string; steps: number; canary: boolean }>(
    text,
    [id],
  )
  return rows
}

const idsOf = async (judge: StoredCriterion) => (await watchedBy(judge)).map(({ trace_id: traceId }) => traceId)

it('begins with the runs that are completed after it was turned on', async () => {
  const judge = await monitored()
  const before = run('before', quiet(10_000))
  await watch(judge, [before])
  await watch(judge, [before, run('after', quiet(-5_000))])
  expect(await idsOf(judge)).toEqual([])
  expect(await createPgMonitor(database.pool).runCursorOf(judge.workspaceId)).toEqual({
    lastAt: ago(quietMs),
    traceId: '',
  })
})

it('plans each completed run once, over pages and passes, and leaves the youngest for later', async () => {
  const judge = await monitored()
  await startAt(judge, quiet(600_000))
  const settled = Array.from({ length: 203 }, (_, index) => run(`run-${1_000 + index}`, quiet(500_000 - 2 * index)))
  const simultaneous = ['twin-a', 'twin-b'].map((id) => run(id, quiet(1_500)))
  const others = [run('not-completed', quiet(400_000), { completed: false }), run('too-young', quiet(500))]
  for (let pass = 0; pass < 2; pass += 1) await watch(judge, [...settled, ...simultaneous, ...others])
  expect(await idsOf(judge)).toEqual([...settled, ...simultaneous].map((each) => each.trace_id))
})

it('judges a run when it is completed, and not again when it continues', async () => {
  const judge = await monitored()
  await startAt(judge, quiet(600_000))
  await watch(judge, [run('grows', quiet(500_000), { completed: false }), run('continues', quiet(400_000))])
  expect(await idsOf(judge)).toEqual(['continues'])
  await watch(judge, [
    run('grows', quiet(300_000), { steps: [{}, {}] }),
    run('continues', quiet(200_000), { steps: [{}, {}] }),
  ])
  expect((await watchedBy(judge)).map(({ trace_id, steps }) => [trace_id, steps])).toEqual([
    ['continues', 1],
    ['grows', 2],
  ])
})

it('plans the population of a judge: runs with a step of it that was not cached', async () => {
  const judge = await monitored({ population: 'support' })
  await startAt(judge, quiet(600_000))
  await watch(judge, [
    run('second-step', quiet(50_000), { steps: [{}, { tag: 'support', canary: true }] }),
    run('other', quiet(40_000), { steps: [{ tag: 'sales' }] }),
    run('cached', quiet(30_000), { steps: [{ tag: 'support', cached: true }, { tag: 'sales' }] }),
  ])
  expect((await watchedBy(judge)).map(({ trace_id, canary }) => [trace_id, canary])).toEqual([['second-step', true]])
})

it('reads the steps of the sampled share only', async () => {
  const judge = await monitored({ onlinePercent: 10 })
  await startAt(judge, quiet(600_000))
  const read: string[] = []
  const runs = Array.from({ length: 400 }, (_, index) => run(`run-${index}`, quiet(400_000 - index)))
  await watch(judge, runs, read)
  const planned = await idsOf(judge)
  expect(read.toSorted()).toEqual(planned.toSorted())
  // 40 are expected; 5 standard deviations of 6 either way.
  expect(Math.abs(planned.length - 40)).toBeLessThan(30)
})

it('plans nothing over the weekly cap', async () => {
  const judge = await monitored({ onlineCapNano: 5n })
  await startAt(judge, quiet(600_000))
  await watch(judge, [run('first', quiet(500_000))])
  const [first] = await watchedBy(judge)
  await processJudgement(judgingWith(judgements(), async () => passed).deps, first?.id ?? '')
  await watch(judge, [run('second', quiet(400_000))])
  expect(await idsOf(judge)).toEqual(['first'])
})

it('leaves exchanges to judges of exchanges, and runs to judges of runs', async () => {
  const [ofRuns, ofExchanges] = [await monitored(), await monitored({ unit: 'request' })]
  const units = await Promise.all(
    (['trace', 'request'] as const).map((unit) => createPgMonitor(database.pool).onlineCriteria(unit)),
  )
  expect(units.map((each) => each.map(({ id }) => id).includes(ofRuns.id))).toEqual([true, false])
  expect(units.map((each) => each.map(({ id }) => id).includes(ofExchanges.id))).toEqual([false, true])
})
