import { randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import { WorkPostponed } from '@ratchet/work-kit/leases/decide-retry'
import { createPgCalibrations } from '../calibration/pg-calibrations.ts'
import { storedCriterion } from '../criteria/criterion.fixture.ts'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import type { LeasedJudgement, PlannedJudgement } from '../judgements/judgement.ts'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { createPgPurging } from '../judgements/pg-purging.ts'
import { type Judge, processJudgement } from '../judgements/process-judgement.ts'
import { purgeJudgements } from '../judgements/purge-judgements.ts'
import { type LabelDatabase, labelDatabase } from '../labels/label-database.fixture.ts'
import { type AdvanceRunDeps, advanceRun, type RunEvent, type RunHandler } from './advance-run.ts'
import type { NewRun } from './judge-run.ts'
import { judgingWith, passed, plannedFor } from './judged-work.fixture.ts'
import { createRunNotices } from './notify-judges.ts'
import { createPgRuns } from './pg-runs.ts'
import { weekWindow } from './week-window.ts'

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
const planned = (more: Partial<PlannedJudgement> = {}) => plannedFor(criterion, more)
const judging = (judge: Judge) => judgingWith(judgements(), judge)

function rowOf(id: string) {
  return database.operator.query('SELECT * FROM judgement WHERE id = $1', [id]).then(({ rows }) => rows[0])
}

/** Ends a lease or the delay before the next attempt. */
async function passTime(table: 'judgement' | 'judge_run', id: string): Promise<void> {
  const column = table === 'judgement' ? 'due_at' : 'leased_until'
  await database.operator.query(`UPDATE ${table} SET ${column} = now() - interval '1 second' WHERE id = $1`, [id])
}

describe('a judgement', () => {
  it('is done once, however often and by however many workers it is processed', async () => {
    const { id } = planned()
    await judgements().plan([planned({ id }), planned({ id })])
    let calls = 0
    const { deps, events } = judging(async () => {
      calls += 1
      return passed
    })
    await Promise.all(Array.from({ length: 8 }, () => processJudgement(deps, id)))
    await processJudgement(deps, id)
    expect([calls, events]).toEqual([1, ['verdict']])
    expect(await rowOf(id)).toMatchObject({ state: 'done', verdict: 'pass', cost_nano: '7', attempts: 1 })
  })

  it('has the outcome of the worker that holds the lease, not of one that lost it', async () => {
    const { id } = planned()
    await judgements().plan([planned({ id })])
    const slow = judging(async () => {
      await passTime('judgement', id)
      await processJudgement(judging(async () => passed).deps, id)
      return { ...passed, verdict: 'fail' }
    })
    await processJudgement(slow.deps, id)
    expect(slow.events).toEqual(['lost'])
    expect(await rowOf(id)).toMatchObject({ verdict: 'pass' })
  })

  it('is retried when its judge fails, and dead-lettered after five attempts', async () => {
    const { id } = planned()
    await judgements().plan([planned({ id })])
    const { deps, events } = judging(async () => {
      throw new Error('no answer')
    })
    await processJudgement(deps, id)
    await processJudgement(deps, id)
    expect(events).toEqual(['retried'])
    for (let attempt = 2; attempt <= 6; attempt += 1) {
      await passTime('judgement', id)
      await processJudgement(deps, id)
    }
    expect(events).toEqual(['retried', 'retried', 'retried', 'retried', 'dead_lettered'])
    expect(await rowOf(id)).toMatchObject({ state: 'poisoned', last_error: 'no answer', verdict: null })
    expect(await judgements().overdue(100)).not.toContain(id)
  })

  it('that is postponed counts no attempt', async () => {
    const { id } = planned()
    await judgements().plan([planned({ id })])
    const { deps } = judging(async () => {
      throw new WorkPostponed('no money this week', 60_000)
    })
    for (let time = 0; time < 10; time += 1) {
      await passTime('judgement', id)
      await processJudgement(deps, id)
    }
    expect(await rowOf(id)).toMatchObject({ state: 'pending', attempts: 0 })
  })

  it('that kills its workers is dead-lettered, and does not delay others', async () => {
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
    await processJudgement(judging(async () => passed).deps, id)
    const change = database.pool.query("UPDATE judgement SET verdict = 'fail' WHERE id = $1", [id])
    await expect(change).rejects.toThrow('a judgement is final')
  })

  it('has its lease renewed during a long call', async () => {
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

  function running(runHandler: RunHandler) {
    const events: RunEvent['kind'][] = []
    const runHandlers = { scan: runHandler } as unknown as AdvanceRunDeps['runHandlers']
    const onEvent = ({ kind }: RunEvent) => events.push(kind)
    const enqueueJudgements = async () => undefined
    const notified: string[] = []
    const notices = createRunNotices(async (_workspaceId, { topic }) => void notified.push(topic), now)
    const onStep = notices.stepped
    const deps = { runs: runs(), judgements: judgements(), runHandlers, now, enqueueJudgements, onStep, onEvent }
    return { deps, events, notices, notified }
  }

  const statusOf = async ({ id }: NewRun) =>
    runs()
      .get({ workspaceId: criterion.workspaceId, id, kind: 'scan' })
      .then((run) => run?.status)

  it('waits for its judgements, continues when the last is done, and ends once', async () => {
    const run = newRun()
    await runs().create(run)
    const work = planned({ runId: run.id })
    const { deps, events } = running(async ({ rowsTotal }) =>
      rowsTotal === null
        ? { kind: 'wait', rowsTotal: 1, judgements: [work] }
        : { kind: 'done', result: { reported: true } },
    )
    await Promise.all([advanceRun(deps, run.id), advanceRun(deps, run.id)])
    await advanceRun(deps, run.id)
    expect([await statusOf(run), events]).toEqual(['RUNNING', ['waiting']])
    expect(await runs().ready(1_000)).not.toContain(run.id)
    await processJudgement(judging(async () => passed).deps, work.id)
    expect(await runs().ready(1_000)).toContain(run.id)
    await advanceRun(deps, run.id)
    await advanceRun(deps, run.id)
    expect([await statusOf(run), events]).toEqual(['DONE', ['waiting', 'done']])
    expect(await judgements().progressOf(run.id)).toEqual({ total: 1, done: 1, deadLettered: 0, costNano: 7n })
  })

  it('notifies the page that follows it of each step and each judged item', async () => {
    const run = newRun()
    await runs().create(run)
    const work = planned({ runId: run.id })
    const { deps, notices, notified } = running(async ({ rowsTotal }) =>
      rowsTotal === null ? { kind: 'wait', rowsTotal: 1, judgements: [work] } : { kind: 'done', result: {} },
    )
    const topic = `scan:${publicId('scan', run.id)}`
    const topicsAfter = async (step: Promise<void>) => {
      await step
      return notified.splice(0)
    }
    expect(await topicsAfter(advanceRun(deps, run.id))).toEqual([topic])
    // Another notification, while the judgement is open.
    expect(await topicsAfter(advanceRun(deps, run.id))).toEqual([])
    const onDone = async (id: string, { workspaceId, runKind }: LeasedJudgement) => {
      if (runKind !== null) notices.judged({ id, workspaceId, kind: runKind })
    }
    expect(await topicsAfter(processJudgement({ ...judging(async () => passed).deps, onDone }, work.id))).toEqual([
      topic,
    ])
    expect(await topicsAfter(advanceRun(deps, run.id))).toEqual([topic])
  })

  it('continues after a dead-lettered judgement', async () => {
    const run = newRun()
    await runs().create(run)
    const work = planned({ runId: run.id })
    await judgements().plan([work])
    await database.operator.query("UPDATE judgement SET state = 'poisoned' WHERE id = $1", [work.id])
    expect(await runs().ready(1_000)).toContain(run.id)
  })

  it('is FAILED after five failed steps in a row', async () => {
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

  it('that was voided during a step remains voided', async () => {
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

describe('purging', () => {
  it('deletes judgements of exchanges that expired or were deleted, and no others', async () => {
    const gone = planned()
    const expired = planned({ expiresAt: new Date(Date.now() - 1_000) })
    const kept = planned({ expiresAt: new Date(Date.now() + 60_000) })
    const graded = planned({ item: { kind: 'snapshot', snapshotId: randomUUID() } })
    await judgements().plan([gone, expired, kept, graded])
    for (const { id } of [gone, expired, kept, graded]) await processJudgement(judging(async () => passed).deps, id)
    const present = async (_identity: unknown, logIds: readonly string[]) =>
      new Set(logIds.filter((logId) => gone.item.kind === 'log' && logId !== gone.item.logId))
    await purgeJudgements({ store: createPgPurging(database.pool), log: { present } })
    const left = await Promise.all([gone, expired, kept, graded].map(({ id }) => rowOf(id)))
    expect(left.map((row) => row !== undefined)).toEqual([false, false, true, true])
  })

  it('deletes the judgement of a run with the first of its steps', async () => {
    const steps = [randomUUID(), randomUUID()]
    const run = planned({ item: { kind: 'run', traceId: 'r', stepIds: steps } })
    await judgements().plan([run])
    await processJudgement(judging(async () => passed).deps, run.id)
    const purge = async (present: readonly string[]) => {
      const log = { present: async () => new Set(present) }
      await purgeJudgements({ store: createPgPurging(database.pool), log })
      return (await rowOf(run.id)) !== undefined
    }
    expect(await purge(steps)).toBe(true)
    expect(await purge(steps.slice(1))).toBe(false)
  })

  it('deletes unjudged answers of shadows to such exchanges', async () => {
    const response = { role: 'assistant', content: 'From the shadow.' }
    const shadowed = (more: Partial<PlannedJudgement> = {}) =>
      planned({ source: 'shadow', judgedResponse: response, ...more })
    const expired = shadowed({ expiresAt: new Date(Date.now() - 1_000) })
    const [gone, kept, unjudged] = [shadowed(), shadowed(), planned({ source: 'gate' })]
    await judgements().plan([expired, gone, kept, unjudged])
    const keptId = kept.item.kind === 'log' ? kept.item.logId : ''
    const present = async () => new Set([keptId])
    await purgeJudgements({ store: createPgPurging(database.pool), log: { present } })
    const left = await Promise.all([expired, gone, kept, unjudged].map(({ id }) => rowOf(id)))
    expect(left.map((row) => row !== undefined)).toEqual([false, false, true, true])
  })

  it.each(['online', 'gate', 'shadow'] as const)('keeps the cost of %s judgements of this week', async (source) => {
    const judged = planned({ source, expiresAt: new Date(Date.now() - 1_000) })
    await judgements().plan([judged])
    await processJudgement(judging(async () => passed).deps, judged.id)
    const spent = async () =>
      (await createPgCalibrations(database.pool).onlineSpent([criterion.id], weekStart())).get(criterion.id)
    expect(await spent()).toBe(7n)
    await createPgPurging(database.pool).purgeExpired()
    expect([await spent(), await rowOf(judged.id)]).toEqual([7n, undefined])
    const again = planned({ source, expiresAt: new Date(Date.now() - 1_000) })
    await judgements().plan([again])
    await processJudgement(judging(async () => passed).deps, again.id)
    await createPgPurging(database.pool).purgeExpired()
    expect(await spent()).toBe(14n)
  })
})

const weekStart = () => weekWindow(now()).start
