import { randomUUID } from 'node:crypto'
import type { Scan } from '@ratchet/contracts/scans'
import { criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'
import { createPgRuns } from '../runs/pg-runs.ts'
import type { ScanResult } from './scan-result.ts'

let app: JudgingApp
beforeAll(async () => {
  app = await startJudgingApp()
})
afterAll(() => app.stop())

const result = (judged: number): Partial<ScanResult> => ({
  matched: 100,
  judged,
  costNano: '0',
  bySegment: [
    {
      segment: 'greeter',
      judged,
      rawPassRate: 0.5,
      correctedPassRate: 0.6,
      correctedCi: [0.5, 0.7],
      method: 'rogan_gladen',
    },
  ],
})

interface Scanned {
  readonly judged: number
  readonly status?: string
  readonly filters?: object
  readonly instrument?: number
}

async function scan(judge: string, { judged, status = 'DONE', filters = {}, instrument = 1 }: Scanned): Promise<void> {
  const run = await createPgRuns(app.pool).create({
    id: randomUUID(),
    workspaceId: app.workspaceId,
    criterionId: criterionUuid(judge),
    kind: 'scan',
    instrument,
    judgeModel: 'sim/judge',
    promptSha256: 'x',
    request: { filters, sampleCount: judged },
    maxCostNano: null,
    createdBy: randomUUID(),
    createdAt: app.clock.now(),
  })
  const text = 'UPDATE judge_run SET status = $2, result = $3, finished_at = clock_timestamp() WHERE id = $1'
  await app.operator.query(text, [run.id, status, JSON.stringify(result(judged))])
}

const latest = async (workspaceId?: string): Promise<Scan[]> =>
  (await app.request('get', '/session/scans', undefined, workspaceId)).body.data

it('lists the newest scan of all traffic of each judge in use, with its corrected rates by segment', async () => {
  const judge = await app.addCriterion()
  await scan(judge, { judged: 10 })
  await scan(judge, { judged: 20 })
  await scan(judge, { judged: 30, filters: { tag: 'support' } })
  await scan(judge, { judged: 40, status: 'FAILED' })
  const ofRuns = await app.addCriterion({ unit: 'trace' })
  await scan(ofRuns, { judged: 50 })
  const found = await latest()
  expect(found.map(({ criterion_id, judged }) => [criterion_id, judged])).toEqual([[judge, 20]])
  expect(found[0]?.by_segment).toEqual([
    { segment: 'greeter', judged: 20, raw_pass_rate: 0.5, corrected_pass_rate: 0.6, corrected_ci: [0.5, 0.7] },
  ])
  expect(await latest(randomUUID())).toEqual([])
})

it('leaves out a scan by a judge that was changed or retired since', async () => {
  const judge = await app.addCriterion()
  await scan(judge, { judged: 60 })
  await app.request('patch', `/v1/criteria/${judge}`, { judge_prompt: 'Fail an answer that is wrong.' })
  const retired = await app.addCriterion()
  await scan(retired, { judged: 70 })
  await app.request('patch', `/v1/criteria/${retired}`, { status: 'retired' })
  expect((await latest()).map(({ judged }) => judged)).toEqual([20])
})
