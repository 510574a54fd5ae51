import { randomUUID } from 'node:crypto'
import { workspaceIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import type { OutboxRow } from '@ratchet/work-kit/outbox/publish-outbox'
import { storedCriterion } from '../criteria/criterion.fixture.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import { examinedCriterion, nothingFound } from '../drift/drift.fixture.ts'
import { driftNotice } from '../drift/drift-notice.ts'
import type { ExaminedCriterion } from '../drift/drift-store.ts'
import { createPgDrift } from '../drift/pg-drift.ts'
import { type LabelDatabase, labelDatabase } from '../labels/label-database.fixture.ts'
import { createPgRuns } from '../runs/pg-runs.ts'
import { createPgNotices } from './pg-notices.ts'

let database: LabelDatabase
const clock = fixedClock()
const stale = { ...nothingFound, signal: 'stale', reason: 'Calibrated 31 days ago.' } as const

beforeAll(async () => {
  database = await labelDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.operator.query('DELETE FROM judging_notice'))

async function examined(): Promise<ExaminedCriterion> {
  const criterion = storedCriterion({ id: randomUUID(), workspaceId: randomUUID() })
  await createPgCriteria(database.pool).create(criterion)
  const run = await createPgRuns(database.pool).create({
    id: randomUUID(),
    workspaceId: criterion.workspaceId,
    criterionId: criterion.id,
    kind: 'calibration',
    instrument: 1,
    judgeModel: 'sim/judge',
    promptSha256: 'x',
    request: {},
    maxCostNano: null,
    createdBy: criterion.createdBy,
    createdAt: clock.now(),
  })
  return examinedCriterion({ ...criterion, calibrationId: run.id, alignedAt: clock.now() })
}

function flag(of: ExaminedCriterion, finding: Parameters<typeof driftNotice>[1] = stale) {
  const at = clock.now()
  return createPgDrift(database.pool).save(of, { finding, notice: driftNotice(of, finding, at), at })
}

const pending = (limit = 100, after: OutboxRow | null = null) => createPgNotices(database.pool).pending(limit, after)

describe('a judge that is flagged', () => {
  it('has one pending event, however many sweeps flag it', async () => {
    const judge = await examined()
    await Promise.all([flag(judge), flag(judge)])
    const id = expect.any(String)
    expect(await pending()).toEqual([
      {
        id,
        event: {
          id,
          type: 'criterion.drift_flagged',
          timestamp: clock.now(),
          data: {
            object: 'criterion',
            id: `crit_${judge.id.replaceAll('-', '')}`,
            name: 'Polite',
            drift_signal: 'stale',
            drift_cause: null,
            drift_reason: 'Calibrated 31 days ago.',
          },
          identity: workspaceIdentity(judge.workspaceId),
        },
      },
    ])
  })

  it('has a new event for another signal', async () => {
    const judge = await examined()
    await flag(judge, { ...stale, signal: 'quality_drop' })
    await flag({ ...judge, driftSignal: 'quality_drop' })
    await flag({ ...judge, driftSignal: 'stale' })
    expect(await pending()).toHaveLength(2)
  })

  it('has no event when the finding is not saved', async () => {
    const judge = await examined()
    await flag({ ...judge, instrument: 2 })
    expect(await pending()).toEqual([])
    const saved = await createPgCriteria(database.pool).get(judge)
    expect(saved?.driftSignal).toBeNull()
  })
})

it('lists pending events page by page, the oldest first, and none that ended', async () => {
  const insert = `INSERT INTO judging_notice (id, workspace_id, type, data, created_at)
    VALUES ($1, $2, 'criterion.drift_flagged', $3, $4)`
  for (let index = 0; index < 5; index += 1) {
    const at = new Date(clock.now().getTime() - Math.floor(index / 2))
    await database.operator.query(insert, [randomUUID(), randomUUID(), JSON.stringify({ index }), at])
  }
  const first = await pending(2)
  const second = await pending(2, first.at(-1))
  const third = await pending(2, second.at(-1))
  const all = [...first, ...second, ...third]
  expect(new Set(all.map(({ event }) => event.data.index)).size).toBe(5)
  expect(all.map(({ event }) => clock.now().getTime() - event.timestamp.getTime())).toEqual([2, 1, 1, 0, 0])
  await createPgNotices(database.pool).end(
    all.slice(1).map(({ id }) => id),
    clock.now(),
  )
  expect(await pending()).toEqual(all.slice(0, 1))
})
