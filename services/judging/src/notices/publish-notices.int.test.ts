import { randomUUID } from 'node:crypto'
import type { WebhookNotice } from '@ratchet/judge-kit/fleet/publish-webhook-event'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { storedCriterion } from '../criteria/criterion.fixture.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import { driftNotice } from '../drift/drift-notice.ts'
import type { ExaminedCriterion } from '../drift/drift-store.ts'
import { createPgDrift } from '../drift/pg-drift.ts'
import { type LabelDatabase, labelDatabase } from '../labels/label-database.fixture.ts'
import { createPgRuns } from '../runs/pg-runs.ts'
import { createPgNotices } from './pg-notices.ts'
import { publishNotices } from './publish-notices.ts'

let database: LabelDatabase
const clock = fixedClock()
const stale = { signal: 'stale', reason: 'Calibrated 31 days ago.', clearSweeps: 0 } as const

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
  return { ...criterion, calibrationId: run.id, alignedAt: clock.now() }
}

function flag(of: ExaminedCriterion, finding: Parameters<typeof driftNotice>[1] = stale) {
  const at = clock.now()
  return createPgDrift(database.pool).save(of, { finding, notice: driftNotice(of, finding, at), at })
}

const waiting = async () => (await createPgNotices(database.pool).oldest(100)).map(({ data }) => data.id)

function distinctive(answer: (notice: WebhookNotice) => 'taken' | 'refused' | Error = () => 'taken') {
  const reported: WebhookNotice[] = []
  const events: string[] = []
  const report = async (notice: WebhookNotice) => {
    reported.push(notice)
    const answered = answer(notice)
    if (answered instanceof Error) throw answered
    return answered
  }
  const notices = createPgNotices(database.pool)
  const run = () => publishNotices({ notices, report, now: clock.now, onEvent: ({ kind }) => void events.push(kind) })
  return { reported, events, run }
}

describe('a judge that is flagged', () => {
  it('is told of once, however many sweeps find it', async () => {
    const judge = await examined()
    await Promise.all([flag(judge), flag(judge)])
    const { reported, events, run } = distinctive()
    await run()
    await run()
    expect(reported).toEqual([
      {
        id: expect.any(String),
        type: 'criterion.drift_flagged',
        timestamp: clock.now(),
        data: {
          object: 'criterion',
          id: `crit_${judge.id.replaceAll('-', '')}`,
          name: 'Polite',
          drift_signal: 'stale',
          drift_reason: 'Calibrated 31 days ago.',
        },
        identity: workerIdentity(judge.workspaceId, judge.workspaceId),
      },
    ])
    expect(events).toEqual(['taken'])
  })

  it('is told of anew for something else', async () => {
    const judge = await examined()
    await flag(judge, { ...stale, signal: 'quality_drop' })
    await flag({ ...judge, driftSignal: 'quality_drop' })
    await flag({ ...judge, driftSignal: 'stale' })
    expect(await waiting()).toHaveLength(2)
  })

  it('is not told of where the finding is not kept', async () => {
    const judge = await examined()
    await flag({ ...judge, instrument: 2 })
    expect(await waiting()).toEqual([])
    const kept = await createPgCriteria(database.pool).get(judge)
    expect(kept?.driftSignal).toBeNull()
  })
})

describe('telling', () => {
  it('tries again what could not be told, and holds nothing else up', async () => {
    const [one, other] = [await examined(), await examined()]
    await flag(one)
    await flag(other)
    const isOne = ({ identity }: WebhookNotice) => identity.workspaceId === one.workspaceId
    const away = distinctive((notice) => (isOne(notice) ? new Error('away') : 'taken'))
    await away.run()
    expect([away.events.sort(), await waiting()]).toEqual([
      ['taken', 'waiting'],
      [`crit_${one.id.replaceAll('-', '')}`],
    ])
    const back = distinctive()
    await back.run()
    expect([back.reported.length, await waiting()]).toEqual([1, []])
    expect(back.reported[0]?.id).toBe(away.reported.find(isOne)?.id)
  })

  it('forgets what is refused', async () => {
    await flag(await examined())
    const { events, run } = distinctive(() => 'refused')
    await run()
    expect([events, await waiting()]).toEqual([['refused'], []])
  })

  it('gives up after a day', async () => {
    await flag(await examined())
    clock.advance(86_400_000)
    const away = distinctive(() => new Error('away'))
    await away.run()
    clock.advance(1)
    await away.run()
    expect([away.events, away.reported.length, await waiting()]).toEqual([['waiting', 'expired'], 1, []])
  })

  it('tells the oldest first, so many at a time', async () => {
    const insert = `INSERT INTO judging_notice (id, workspace_id, type, data, created_at)
      VALUES ($1, $2, 'criterion.drift_flagged', $3, $4)`
    for (let index = 0; index < 52; index += 1) {
      const at = new Date(clock.now().getTime() - index)
      await database.operator.query(insert, [randomUUID(), randomUUID(), JSON.stringify({ id: index }), at])
    }
    const { reported, run } = distinctive()
    await run()
    expect([reported.length, await waiting()]).toEqual([50, [1, 0]])
  })

  it('does no harm where two do it', async () => {
    await flag(await examined())
    const [one, other] = [distinctive(), distinctive()]
    await Promise.all([one.run(), other.run()])
    expect(await waiting()).toEqual([])
    expect(new Set([...one.reported, ...other.reported].map(({ id }) => id)).size).toBe(1)
  })
})
