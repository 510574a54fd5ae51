import { storedCriterion } from '../criteria/criterion.fixture.ts'
import type { LeasedRun } from '../runs/judge-run.ts'
import { createScanRunHandler } from './scan-run.ts'

const at = new Date('2026-01-07T12:00:00Z')
const criterion = storedCriterion({ id: '00000000-0000-7000-8000-000000000001', instrument: 2 })

function scan(more: Partial<LeasedRun>): LeasedRun {
  return {
    id: '00000000-0000-7000-8000-000000000002',
    workspaceId: criterion.workspaceId,
    criterionId: criterion.id,
    kind: 'scan',
    status: 'RUNNING',
    instrument: 2,
    judgeModel: criterion.judgeModel,
    promptSha256: '',
    request: { filters: {}, sampleCount: 10 },
    result: null,
    error: null,
    rowsTotal: null,
    maxCostNano: null,
    createdBy: criterion.createdBy,
    createdAt: at,
    finishedAt: null,
    voidedAt: null,
    voidReason: null,
    generation: 1,
    attempts: 1,
    ...more,
  }
}

const runHandler = createScanRunHandler({
  criteria: { get: async () => criterion },
  judgements: { async *ofRun() {} },
  verdicts: { accuracyOf: async () => null, randomGrades: async () => new Map() },
  grades: { unanswered: async () => [] },
  log: {
    sample: async () => ({ total: 0, rows: [] }),
    drawRuns: async () => ({ totalRuns: 0, traceIds: [] }),
    readRuns: async () => [],
  },
  now: () => at,
})

it.each([
  ['before its sample was drawn', { rowsTotal: null }],
  ['among its judgements', { rowsTotal: 10, result: { matched: 10 } }],
])('fails when the judge changed %s', async (_when, more) => {
  expect(await runHandler(scan({ ...more, instrument: 1 }))).toEqual({
    kind: 'failed',
    error: 'The judge changed during the scan.',
  })
  expect(await runHandler(scan({ ...more }))).not.toMatchObject({ error: 'The judge changed during the scan.' })
})

it('fails when the judge gave no verdict at all', async () => {
  expect(await runHandler(scan({ rowsTotal: 10, result: { matched: 10 } }))).toMatchObject({
    kind: 'failed',
    error: 'The judge gave no verdict on any of 10 exchanges.',
    result: { matched: 10, judged: 0, unjudged: 10 },
  })
})
