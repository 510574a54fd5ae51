import { randomUUID } from 'node:crypto'
import type { LogRow } from '@ratchet/contracts/logs'
import { publicId } from '@ratchet/contracts/public-id'
import { firstUuidV7At, uuidV7 } from '@ratchet/service-kit/ids'
import { storedCriterion } from '../domain/criterion/criterion.fixture.ts'
import type { CriterionPatch, StoredCriterion } from '../domain/criterion.ts'
import type { NewRun } from '../domain/judge-run.ts'
import type { JudgementOutcome, PlannedJudgement } from '../domain/judgement.ts'
import { type LabelDatabase, labelDatabase } from '../store/label-database.fixture.ts'
import { createPgCriteria } from '../store/pg-criteria.ts'
import { createPgForgetting } from '../store/pg-forgetting.ts'
import { createPgJudgements } from '../store/pg-judgements.ts'
import { createPgMonitor } from '../store/pg-monitor.ts'
import { createPgRuns } from '../store/pg-runs.ts'
import { type AdvanceRunDeps, advanceRun, type RunEvent, type RunStepper } from './advance-run.ts'
import {
  type DoJudgementDeps,
  doJudgement,
  type Judge,
  type JudgementEvent,
  JudgementPostponed,
} from './do-judgement.ts'
import { forgetJudgements } from './forget-judgements.ts'
import { watchTraffic } from './watch-traffic.ts'

let database: LabelDatabase
let criterion: StoredCriterion

beforeAll(async () => {
  database = await labelDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  criterion = storedCriterion({ id: randomUUID(), workspaceId: randomUUID() })
  await createPgCriteria(database.pool).create(criterion)
})

const judgements = () => createPgJudgements(database.pool)
const runs = () => createPgRuns(database.pool)
const now = () => new Date()

const passed: JudgementOutcome = {
  verdict: 'pass',
  failure: null,
  explanation: 'Fine.',
  judgeModelResolved: 'sim/judge',
  judgeFingerprint: null,
  promptTokens: 10,
  completionTokens: 2,
  costNano: 7n,
}

function planned(more: Partial<PlannedJudgement> = {}): PlannedJudgement {
  return {
    id: randomUUID(),
    workspaceId: criterion.workspaceId,
    criterionId: criterion.id,
    runId: null,
    source: 'scan',
    instrument: 1,
    judgePrompt: null,
    item: { kind: 'log', logId: randomUUID() },
    labelId: null,
    human: null,
    weight: 1,
    stratum: null,
    segment: 'none',
    tag: null,
    itemAt: null,
    expiresAt: null,
    createdAt: now(),
    ...more,
  }
}

function rowOf(id: string) {
  return database.operator.query('SELECT * FROM judgement WHERE id = $1', [id]).then(({ rows }) => rows[0])
}

/** A lease, or the wait before the next attempt, is over. */
async function passTime(table: 'judgement' | 'judge_run', id: string): Promise<void> {
  const column = table === 'judgement' ? 'due_at' : 'leased_until'
  await database.operator.query(`UPDATE ${table} SET ${column} = now() - interval '1 second' WHERE id = $1`, [id])
}

function judging(judge: Judge) {
  const events: JudgementEvent['kind'][] = []
  const onEvent = ({ kind }: JudgementEvent) => events.push(kind)
  const deps: DoJudgementDeps = { judgements: judgements(), judge, now, onDone: async () => undefined, onEvent }
  return { deps, events }
}

describe('a judgement', () => {
  it('is done once, however often and by however many it is asked for', async () => {
    const { id } = planned()
    await judgements().plan([planned({ id }), planned({ id })])
    let asked = 0
    const { deps, events } = judging(async () => {
      asked += 1
      return passed
    })
    await Promise.all(Array.from({ length: 8 }, () => doJudgement(deps, id)))
    await doJudgement(deps, id)
    expect([asked, events]).toEqual([1, ['verdict']])
    expect(await rowOf(id)).toMatchObject({ state: 'done', verdict: 'pass', cost_nano: '7', attempts: 1 })
  })

  it('keeps the outcome of who holds the lease, not of who lost it', async () => {
    const { id } = planned()
    await judgements().plan([planned({ id })])
    const slow = judging(async () => {
      await passTime('judgement', id)
      await doJudgement(judging(async () => passed).deps, id)
      return { ...passed, verdict: 'fail' }
    })
    await doJudgement(slow.deps, id)
    expect(slow.events).toEqual(['lost'])
    expect(await rowOf(id)).toMatchObject({ verdict: 'pass' })
  })

  it('is tried again later when its judge fails, and given up after five attempts', async () => {
    const { id } = planned()
    await judgements().plan([planned({ id })])
    const { deps, events } = judging(async () => {
      throw new Error('no answer')
    })
    await doJudgement(deps, id)
    await doJudgement(deps, id)
    expect(events).toEqual(['retried'])
    for (let attempt = 2; attempt <= 6; attempt += 1) {
      await passTime('judgement', id)
      await doJudgement(deps, id)
    }
    expect(events).toEqual(['retried', 'retried', 'retried', 'retried', 'poisoned'])
    expect(await rowOf(id)).toMatchObject({ state: 'poisoned', last_error: 'no answer', verdict: null })
    expect(await judgements().overdue(100)).not.toContain(id)
  })

  it('that has to wait has not been tried', async () => {
    const { id } = planned()
    await judgements().plan([planned({ id })])
    const { deps } = judging(async () => {
      throw new JudgementPostponed('no money this week', 60_000)
    })
    for (let time = 0; time < 10; time += 1) {
      await passTime('judgement', id)
      await doJudgement(deps, id)
    }
    expect(await rowOf(id)).toMatchObject({ state: 'pending', attempts: 0 })
  })

  it('that ends whoever takes it on is given up, and holds nobody else up', async () => {
    const deadly = planned()
    const sound = planned()
    await judgements().plan([deadly, sound])
    for (let time = 0; time < 20; time += 1) {
      await judgements().lease(deadly.id, 1)
      await passTime('judgement', deadly.id)
    }
    expect(await judgements().overdue(100)).toEqual(expect.arrayContaining([sound.id]))
    expect(await rowOf(deadly.id)).toMatchObject({ state: 'poisoned' })
  })

  it('is final', async () => {
    const { id } = planned()
    await judgements().plan([planned({ id })])
    await doJudgement(judging(async () => passed).deps, id)
    const change = database.pool.query("UPDATE judgement SET verdict = 'fail' WHERE id = $1", [id])
    await expect(change).rejects.toThrow('a judgement is final')
  })

  it('is held on to while its judge thinks', async () => {
    const { id } = planned()
    await judgements().plan([planned({ id })])
    const leased = await judgements().lease(id, 1_000)
    if (leased === null) throw new Error('no lease')
    expect(await judgements().renew(leased, 60_000)).toBe(true)
    expect(await judgements().lease(id, 1_000)).toBeNull()
    await passTime('judgement', id)
    await judgements().lease(id, 1_000)
    expect(await judgements().renew(leased, 60_000)).toBe(false)
  })
})

describe('a run', () => {
  const newRun = (): NewRun => ({
    id: randomUUID(),
    workspaceId: criterion.workspaceId,
    criterionId: criterion.id,
    kind: 'scan',
    instrument: 1,
    judgeModel: 'sim/judge',
    promptSha256: 'x',
    request: {},
    maxCostNano: null,
    createdBy: randomUUID(),
    createdAt: now(),
  })

  function running(stepper: RunStepper) {
    const events: RunEvent['kind'][] = []
    const steppers = { scan: stepper } as unknown as AdvanceRunDeps['steppers']
    const onEvent = ({ kind }: RunEvent) => events.push(kind)
    const ringJudgements = async () => undefined
    const deps = { runs: runs(), judgements: judgements(), steppers, now, ringJudgements, onEvent }
    return { deps, events }
  }

  const statusOf = async ({ id }: NewRun) =>
    runs()
      .get({ workspaceId: criterion.workspaceId, id, kind: 'scan' })
      .then((run) => run?.status)

  it('waits for its judgements, goes on when the last is done, and ends once', async () => {
    const run = newRun()
    await runs().create(run)
    const work = planned({ runId: run.id })
    const { deps, events } = running(async ({ rowsTotal }) =>
      rowsTotal === null
        ? { kind: 'wait', rowsTotal: 1, judgements: [work] }
        : { kind: 'done', result: { told: true } },
    )
    await Promise.all([advanceRun(deps, run.id), advanceRun(deps, run.id)])
    expect([await statusOf(run), events]).toEqual(['RUNNING', ['waiting']])
    expect(await runs().ready(1_000)).not.toContain(run.id)
    await doJudgement(judging(async () => passed).deps, work.id)
    expect(await runs().ready(1_000)).toContain(run.id)
    await advanceRun(deps, run.id)
    await advanceRun(deps, run.id)
    expect([await statusOf(run), events]).toEqual(['DONE', ['waiting', 'done']])
    expect(await judgements().progressOf(run.id)).toEqual({ total: 1, done: 1, poisoned: 0, costNano: 7n })
  })

  it('goes on over a judgement that was given up', async () => {
    const run = newRun()
    await runs().create(run)
    const work = planned({ runId: run.id })
    await judgements().plan([work])
    await database.operator.query("UPDATE judgement SET state = 'poisoned' WHERE id = $1", [work.id])
    expect(await runs().ready(1_000)).toContain(run.id)
  })

  it('is FAILED after five steps in a row that broke', async () => {
    const run = newRun()
    await runs().create(run)
    const { deps, events } = running(async () => {
      throw new Error('broken')
    })
    for (let step = 0; step < 6; step += 1) {
      await advanceRun(deps, run.id)
      await passTime('judge_run', run.id)
    }
    expect(events).toEqual(['retried', 'retried', 'retried', 'retried', 'failed'])
    expect(await statusOf(run)).toBe('FAILED')
  })

  it('that was voided in the middle of a step stays voided', async () => {
    const run = newRun()
    await runs().create(run)
    const { deps, events } = running(async ({ id }) => {
      await database.operator.query(
        "UPDATE judge_run SET status = 'VOIDED', finished_at = now(), voided_at = now() WHERE id = $1",
        [id],
      )
      return { kind: 'done', result: {} }
    })
    await advanceRun(deps, run.id)
    expect([await statusOf(run), events]).toEqual(['VOIDED', ['lost']])
  })
})

describe('watching traffic', () => {
  const at = new Date()
  const ago = (ms: number) => new Date(at.getTime() - ms)
  const logRow = (stored: Date, more: Partial<LogRow> = {}) =>
    ({
      id: publicId('log', uuidV7(stored.getTime())),
      tag: null,
      segment: 'none',
      cached: false,
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
      judgements: judgements(),
      log: {
        fresh: async (identity, after, limit) =>
          identity.workspaceId === workspaceId
            ? rows.filter(({ id }) => id > publicId('log', after)).slice(0, limit)
            : [],
      },
      now: () => at,
      settleMs: 1_000,
      firstIdAt: (moment) => firstUuidV7At(moment.getTime()),
      ringJudgements: async () => undefined,
      onFailure: (_workspace, cause) => {
        throw cause
      },
    })
  }

  const startAt = (of: StoredCriterion, moment: Date) =>
    createPgMonitor(database.pool).moveCursor(of.workspaceId, firstUuidV7At(moment.getTime()), at)

  async function plannedFor({ id }: StoredCriterion): Promise<string[]> {
    const text = "SELECT log_id FROM judgement WHERE criterion_id = $1 AND source = 'online' ORDER BY log_id"
    const { rows } = await database.operator.query<{ log_id: string }>(text, [id])
    return rows.map(({ log_id: logId }) => publicId('log', logId))
  }

  it('begins with what comes after it was turned on', async () => {
    const judge = await monitored()
    await watch(judge, [logRow(ago(60_000))])
    await watch(judge, [logRow(ago(60_000))])
    expect(await plannedFor(judge)).toEqual([])
  })

  it('begins anew when it was off in between', async () => {
    const judge = await monitored()
    const turn = (onlineEnabled: boolean) =>
      createPgCriteria(database.pool).update(judge, () => ({ patch: { onlineEnabled }, voids: null }), at)
    await startAt(judge, ago(600_000))
    await turn(false)
    await watch(judge, [])
    await turn(true)
    await watch(judge, [logRow(ago(60_000))])
    await watch(judge, [logRow(ago(60_000))])
    expect(await plannedFor(judge)).toEqual([])
  })

  it.each<[string, CriterionPatch, boolean]>([
    ['a cap that was raised', { onlineCapNano: 9n }, true],
    ['monitoring that was turned off', { onlineEnabled: false }, false],
    ['a judge that was retired', { status: 'retired' }, false],
  ])('hears at once of %s', async (_what, patch, isWanted) => {
    const judge = await monitored({ onlineCapNano: 5n })
    const waiting = planned({ criterionId: judge.id, workspaceId: judge.workspaceId, source: 'online' })
    await judgements().plan([waiting])
    await doJudgement(judging(() => Promise.reject(new JudgementPostponed('no money', 3_600_000))).deps, waiting.id)
    expect(await judgements().lease(waiting.id, 1_000)).toBeNull()
    await createPgCriteria(database.pool).update(judge, () => ({ patch, voids: null }), at)
    expect(await judgements().lease(waiting.id, 1_000)).toMatchObject({ isWanted })
  })

  it('plans each exchange once, over pages and looks, and leaves what is being stored for later', async () => {
    const judge = await monitored()
    await startAt(judge, ago(600_000))
    const settled = Array.from({ length: 1_203 }, (_, index) => logRow(ago(500_000 - index)))
    const unsettled = logRow(ago(500))
    await watch(judge, [...settled, unsettled])
    await watch(judge, [...settled, unsettled])
    expect(await plannedFor(judge)).toEqual(settled.map(({ id }) => id))
  })

  it('looks at the population of a judge, and at nothing for one that is retired or has spent its week', async () => {
    const workspaceId = randomUUID()
    const support = await monitored({ workspaceId, population: 'support' })
    const retired = await monitored({ workspaceId, status: 'retired' })
    const paused = await monitored({ workspaceId, onlineCapNano: 5n })
    const spent = planned({ criterionId: paused.id, workspaceId, source: 'online' })
    await judgements().plan([spent])
    await doJudgement(judging(async () => passed).deps, spent.id)
    await startAt(support, ago(600_000))
    const rows = [logRow(ago(5_000), { tag: 'support' }), logRow(ago(4_000), { tag: 'sales' })]
    await watch(support, rows)
    expect(await plannedFor(support)).toEqual([rows[0]?.id])
    expect(await plannedFor(retired)).toEqual([])
    expect(await plannedFor(paused)).toHaveLength(1)
  })
})

describe('forgetting', () => {
  it('deletes what was said of exchanges that expired or were deleted, and nothing else', async () => {
    const gone = planned()
    const expired = planned({ expiresAt: new Date(Date.now() - 1_000) })
    const kept = planned({ expiresAt: new Date(Date.now() + 60_000) })
    const graded = planned({ item: { kind: 'snapshot', snapshotId: randomUUID() } })
    await judgements().plan([gone, expired, kept, graded])
    for (const { id } of [gone, expired, kept, graded]) await doJudgement(judging(async () => passed).deps, id)
    const present = async (_identity: unknown, logIds: readonly string[]) =>
      new Set(logIds.filter((logId) => gone.item.kind === 'log' && logId !== gone.item.logId))
    await forgetJudgements({ store: createPgForgetting(database.pool), log: { present } })
    const left = await Promise.all([gone, expired, kept, graded].map(({ id }) => rowOf(id)))
    expect(left.map((row) => row !== undefined)).toEqual([false, false, true, true])
  })
})
