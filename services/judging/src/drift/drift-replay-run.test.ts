import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import type { DoneJudgement } from '../judgements/judgement.ts'
import type { LeasedRun } from '../runs/judge-run.ts'
import { createDriftReplayRunHandler, type DriftReplay } from './drift-replay-run.ts'
import type { ExplainedDrop } from './drift-store.ts'

const at = new Date('2026-11-21T12:00:00Z')
const calibrationId = '00000000-0000-7000-8000-0000000000d1'
const rows = Array.from({ length: 120 }, (_, index) => {
  const human = index < 40 ? ('fail' as const) : ('pass' as const)
  return doneJudgement(index, { labelId: `label-${index}`, human, verdict: human, source: 'calibration' })
})

function handle(request: DriftReplay, { rowsTotal = null, replayed = [] }: Partial<Handled> = {}) {
  const explained: ExplainedDrop[] = []
  const handler = createDriftReplayRunHandler({
    drift: { calibrationRows: async () => rows, explain: async (_judge, each) => void explained.push(each) },
    judgements: {
      async *ofRun() {
        yield* replayed
      },
    },
    now: () => at,
  })
  const run = { id: calibrationId, criterionId: 'c1', instrument: 1, request, rowsTotal, createdAt: at } as LeasedRun
  return handler(run).then((step) => ({ step, explained }))
}

interface Handled {
  readonly rowsTotal: number | null
  readonly replayed: readonly DoneJudgement[]
}

it.each<[string, DriftReplay, number]>([
  ['the rows of the day, of a panel', { calibrationId, rows: 'panel' }, 15],
  ['all rows, after a drop', { calibrationId, rows: 'drop', drop: { rise: 0.2, failRate: 0.3 } }, 120],
  ['all rows, for a run of an older release', { calibrationId }, 120],
])('plans %s', async (_case, request, count) => {
  const { step } = await handle(request)
  expect(step).toMatchObject({ kind: 'wait', rowsTotal: count })
  expect(new Set(step.judgements?.map(({ id }) => id)).size).toBe(count)
  expect(step.judgements?.[0]).toMatchObject({ source: 'drift_replay', runId: calibrationId, expiresAt: null })
})

it('adds the cause to a drop, and nothing for a panel', async () => {
  const drop = { rise: 0.2, failRate: 0.3 }
  const done = { rowsTotal: 120, replayed: rows }
  const { step, explained } = await handle({ calibrationId, rows: 'drop', drop }, done)
  expect(step).toMatchObject({ kind: 'done', result: { rows: 120, cause: 'traffic' } })
  expect(explained).toMatchObject([{ cause: 'traffic', sentence: expect.stringMatching(/traffic/) }])
  expect((await handle({ calibrationId, rows: 'panel' }, done)).explained).toEqual([])
})
