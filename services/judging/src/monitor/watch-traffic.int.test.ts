import { randomUUID } from 'node:crypto'
import type { LogRow } from '@ratchet/contracts/logs'
import { publicId } from '@ratchet/contracts/public-id'
import { firstUuidV7At, uuidV7 } from '@ratchet/service-kit/values/ids'
import { WorkPostponed } from '@ratchet/work-kit/leases/decide-retry'
import { storedCriterion } from '../criteria/criterion.fixture.ts'
import type { CriterionPatch, StoredCriterion } from '../criteria/criterion.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import { sumOf, utcDay } from '../drift/find-rise.ts'
import { createPgDrift } from '../drift/pg-drift.ts'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { createPgVerdicts } from '../judgements/pg-verdicts.ts'
import { processJudgement } from '../judgements/process-judgement.ts'
import { type LabelDatabase, labelDatabase } from '../labels/label-database.fixture.ts'
import { judgingWith, passed, plannedFor } from '../runs/judged-work.fixture.ts'
import { createPgCapNotices } from './pg-cap-notices.ts'
import { createPgMonitor } from './pg-monitor.ts'
import { watchTraffic } from './watch-traffic.ts'

let database: LabelDatabase

beforeAll(async () => {
  database = await labelDatabase()
})
afterAll(() => database.drop())

const postponing = () => judgingWith(judgements(), () => Promise.reject(new WorkPostponed('no money', 3_600_000)))
const judgements = () => createPgJudgements(database.pool)

describe('watching traffic', () => {
  const at = new Date()
  const ago = (ms: number) => new Date(at.getTime() - ms)
  const logRow = (stored: Date, more: Partial<LogRow> = {}) =>
    ({
      id: publicId('log', uuidV7(stored.getTime())),
      tag: null,
      segment: 'none',
      cached: false,
      canary: false,
      created_at: stored.toISOString(),
      expires_at: new Date(at.getTime() + 86_400_000).toISOString(),
      ...more,
    }) as LogRow

  async function monitored(more: Partial<StoredCriterion> = {}): Promise<StoredCriterion> {
    const online = { onlineEnabled: true, onlinePercent: 100, workspaceId: randomUUID() }
    const made = storedCriterion({ id: randomUUID(), ...online, ...more })
    await createPgCriteria(database.pool).create(made)
    return made
  }

  function watch({ workspaceId }: StoredCriterion, rows: readonly LogRow[]) {
    return watchTraffic({
      monitor: createPgMonitor(database.pool),
      capNotices: createPgCapNotices(database.pool),
      judgements: judgements(),
      log: {
        fresh: async (identity, after, limit) =>
          identity.workspaceId === workspaceId
            ? rows.filter(({ id }) => id > publicId('log', after)).slice(0, limit)
            : [],
      },
      now: () => at,
      ingestLagMs: 1_000,
      firstIdAt: (moment) => firstUuidV7At(moment.getTime()),
      enqueueJudgements: async () => undefined,
      onFailure: (_workspace, cause) => {
        throw cause
      },
    })
  }

  const startAt = (of: StoredCriterion, moment: Date) =>
    createPgMonitor(database.pool).moveCursor(of.workspaceId, firstUuidV7At(moment.getTime()), at)

  async function watchedBy({ id }: StoredCriterion): Promise<string[]> {
    const text = "SELECT log_id FROM judgement WHERE criterion_id = $1 AND source = 'online' ORDER BY log_id"
    const { rows } = await database.operator.query<{ log_id: string }>(text, [id])
    return rows.map(({ log_id: logId }) => publicId('log', logId))
  }

  it('begins with traffic after it was turned on', async () => {
    const judge = await monitored()
    await watch(judge, [logRow(ago(60_000))])
    await watch(judge, [logRow(ago(60_000))])
    expect(await watchedBy(judge)).toEqual([])
  })

  it('begins again after it was off', async () => {
    const judge = await monitored()
    const turn = (onlineEnabled: boolean) =>
      createPgCriteria(database.pool).update(judge, () => ({ patch: { onlineEnabled }, voids: null }), at)
    await startAt(judge, ago(600_000))
    await turn(false)
    await watch(judge, [])
    await turn(true)
    await watch(judge, [logRow(ago(60_000))])
    await watch(judge, [logRow(ago(60_000))])
    expect(await watchedBy(judge)).toEqual([])
  })

  it.each<[string, CriterionPatch, boolean]>([
    ['a cap that was raised', { onlineCapNano: 9n }, true],
    ['monitoring that was turned off', { onlineEnabled: false }, false],
    ['a judge that was retired', { status: 'retired' }, false],
  ])('takes effect at once: %s', async (_what, patch, isRequested) => {
    const judge = await monitored({ onlineCapNano: 5n })
    const waiting = plannedFor(judge, { source: 'online' })
    await judgements().plan([waiting])
    await processJudgement(postponing().deps, waiting.id)
    expect(await judgements().lease(waiting.id, 1_000)).toBeNull()
    await createPgCriteria(database.pool).update(judge, () => ({ patch, voids: null }), at)
    expect(await judgements().lease(waiting.id, 1_000)).toMatchObject({ isRequested })
  })

  it('plans each exchange once, over pages and passes, and leaves recent exchanges for later', async () => {
    const judge = await monitored()
    await startAt(judge, ago(600_000))
    const settled = Array.from({ length: 1_203 }, (_, index) => logRow(ago(500_000 - index)))
    const unsettled = logRow(ago(500))
    await watch(judge, [...settled, unsettled])
    await watch(judge, [...settled, unsettled])
    expect(await watchedBy(judge)).toEqual(settled.map(({ id }) => id))
  })

  it('plans the population of a judge, and nothing for a judge that is retired or over its weekly cap', async () => {
    const workspaceId = randomUUID()
    const support = await monitored({ workspaceId, population: 'support' })
    const retired = await monitored({ workspaceId, status: 'retired' })
    const paused = await monitored({ workspaceId, onlineCapNano: 5n })
    const spent = plannedFor(paused, { source: 'online' })
    await judgements().plan([spent])
    await processJudgement(judgingWith(judgements(), async () => passed).deps, spent.id)
    await startAt(support, ago(600_000))
    const rows = [logRow(ago(5_000), { tag: 'support' }), logRow(ago(4_000), { tag: 'sales' })]
    await watch(support, rows)
    expect(await watchedBy(support)).toEqual([rows[0]?.id])
    expect(await watchedBy(retired)).toEqual([])
    expect(await watchedBy(paused)).toHaveLength(1)
  })

  it('marks answers of canaries: drift does not count them, but reads the judge model from them', async () => {
    const judge = await monitored()
    await startAt(judge, ago(600_000))
    const bad = Array.from({ length: 3 }, (_, index) => logRow(ago(5_000 - index), { canary: true }))
    await watch(judge, [logRow(ago(9_000)), logRow(ago(8_000)), ...bad])
    const { rows } = await database.operator.query<{ id: string; canary: boolean }>(
      'SELECT id, canary FROM judgement WHERE criterion_id = $1 ORDER BY log_id',
      [judge.id],
    )
    for (const { id } of rows) {
      const { deps } = judgingWith(judgements(), async ({ isCanary }) =>
        isCanary ? { ...passed, verdict: 'fail', judgeModelResolved: 'sim/newer' } : passed,
      )
      await processJudgement(deps, id)
    }
    expect(rows.map(({ canary }) => canary)).toEqual([false, false, true, true, true])
    const drift = createPgDrift(database.pool)
    const examined = { ...judge, alignedAt: ago(600_000) }
    await drift.recordDays(examined, utcDay(new Date()) + 1)
    const live = await drift.live(examined)
    expect(live).toMatchObject({ judgeModel: 'sim/newer', fingerprint: null })
    expect(sumOf(live.days)).toEqual({ trials: 2, hits: 0 })
    const { total } = await createPgVerdicts(database.pool).list({ criterionId: judge.id, limit: 10, offset: 0 })
    expect(total).toBe(5)
  })
})
