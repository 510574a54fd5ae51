import { randomUUID } from 'node:crypto'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { addOnlineJudgement } from '../calibration/evidence.fixture.ts'
import { addGrade } from '../calibration/grades.fixture.ts'
import type { JudgementOutcome, LeasedJudgement } from '../judgements/judgement.ts'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { createPgVerdicts } from '../judgements/pg-verdicts.ts'
import { processJudgement } from '../judgements/process-judgement.ts'
import { type Answer, criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'
import { rankIn } from '../labels/grading-frames.ts'
import { judgingWith, passed, plannedFor } from '../runs/judged-work.fixture.ts'

let app: JudgingApp
let id: string
beforeAll(async () => {
  app = await startJudgingApp()
})
afterAll(() => app?.stop())
beforeEach(async () => {
  id = await app.addCriterion()
})

const absent = `crit_${'0'.repeat(32)}`
const newLog = () => publicId('log', randomUUID())
const judgements = () => createPgJudgements(app.pool)
const errorOf = ({ status, body }: Answer) => [status, body.error?.code, body.error?.param]
const said = { role: 'assistant', content: 'From the shadow.' }

const item = (logId: string, more: object = {}) => ({
  log_id: logId,
  segment: 'seg-a',
  tag: 'support',
  created_at: '2026-11-21T11:00:00.000Z',
  expires_at: '2099-01-01T00:00:00.000Z',
  ...more,
})

const plan = (items: readonly object[], more: object = {}, by?: string) => {
  const body = { criterion_id: id, instrument: 1, source: 'gate', items, ...more }
  return app.request('post', '/internal/judging/gate-judgements', body, by)
}

const shadow = (logId: string, more: object = {}) =>
  plan([item(logId, { response: said })], { source: 'shadow', shadow_of: 'acme/one', ...more })

const read = (log_ids: readonly string[], more: object = {}, by?: string) => {
  const body = { criterion_id: id, instrument: 1, source: 'gate', log_ids, ...more }
  return app.request('post', '/internal/judging/gate-verdicts', body, by)
}

const rowsOf = async (source = 'gate') => {
  const text = 'SELECT * FROM judgement WHERE criterion_id = $1 AND source = $2 ORDER BY id'
  return (await app.operator.query(text, [criterionUuid(id), source])).rows
}

type Outcome = Partial<JudgementOutcome>

async function judgeAll(outcome: Outcome | ((judgement: LeasedJudgement) => Outcome) = {}): Promise<LeasedJudgement[]> {
  const seen: LeasedJudgement[] = []
  const { deps } = judgingWith(judgements(), async (judgement) => {
    seen.push(judgement)
    return { ...passed, ...(typeof outcome === 'function' ? outcome(judgement) : outcome) }
  })
  for (const judgementId of await judgements().overdue(100)) await processJudgement(deps, judgementId)
  return seen
}

/** Fails judgements that are still requested, and skips the others as the real judge does. */
const judgeRequested = () =>
  judgeAll(({ isRequested }) => (isRequested ? { verdict: 'fail' } : { verdict: null, failure: 'gone' }))

/** Plans a judgement of an exchange as the monitor does. */
async function monitor(logId: string, more: object = {}): Promise<void> {
  const of = { id: criterionUuid(id), workspaceId: app.workspaceId }
  const exchange = { kind: 'log', logId: uuidOf('log', logId) ?? '' } as const
  await judgements().plan([plannedFor(of, { source: 'online', item: exchange, ...more })])
}

const turn = (online_enabled: boolean) => app.request('put', `/v1/criteria/${id}/monitor`, { online_enabled })

describe('the judge of a gate', () => {
  const judge = (of = id, by?: string) => app.request('get', `/internal/judging/gate-judges/${of}`, undefined, by)

  it('is the same as its owner reads, with its instrument', async () => {
    const { body: criterion } = await app.request('get', `/v1/criteria/${id}`)
    expect((await judge()).body).toMatchObject({ criterion, instrument: 1, over_cap: false })
    await app.request('patch', `/v1/criteria/${id}`, { judge_prompt: 'Fail an answer that is long.' })
    expect((await judge()).body).toMatchObject({ instrument: 2 })
    await app.request('patch', `/v1/criteria/${id}`, { status: 'retired' })
    expect((await judge()).body).toMatchObject({ criterion: { status: 'retired' }, instrument: 2 })
  })

  it.each(['online', 'gate', 'shadow'])(
    'is over its cap once %s judgements of the week have used it up',
    async (source) => {
      await app.request('patch', `/v1/criteria/${id}`, { online_cap_usd: 0.01 })
      const spend = (at: Date, costNano: number) =>
        addOnlineJudgement(app, { criterionId: criterionUuid(id), at, costNano, source })
      await spend(new Date('2026-11-15T23:59:59.999Z'), 10_000_000)
      await spend(app.clock.now(), 9_999_999)
      expect((await judge()).body.over_cap).toBe(false)
      await spend(app.clock.now(), 1)
      expect((await judge()).body).toMatchObject({ over_cap: true, criterion: { online_spent_usd: 0.01 } })
    },
  )

  it('of another workspace gives the same replies as an unknown one', async () => {
    const requests = [
      (of: string) => judge(of, randomUUID()),
      (of: string) => plan([item(newLog())], { criterion_id: of }, randomUUID()),
      (of: string) => read([newLog()], { criterion_id: of }, randomUUID()),
    ]
    for (const send of requests) {
      const [theirs, unknown, nonsense] = [await send(id), await send(absent), await send('nonsense')]
      expect([theirs.status, theirs.text]).toEqual([404, unknown.text])
      expect(nonsense.text).toBe(unknown.text)
    }
    expect(await rowsOf()).toEqual([])
  })
})

describe('planning', () => {
  it('plans an exchange once per instrument, and enqueues new judgements', async () => {
    const [one, two] = [newLog(), newLog()]
    expect(await plan([item(one)])).toMatchObject({ status: 200, body: { planned: 1 } })
    const [first] = await rowsOf()
    expect(first).toMatchObject({
      log_id: uuidOf('log', one),
      segment: 'seg-a',
      tag: 'support',
      workspace_id: app.workspaceId,
      run_id: null,
      instrument: 1,
      weight: 1,
      judged_response: null,
      state: 'pending',
      item_at: new Date('2026-11-21T11:00:00.000Z'),
      expires_at: new Date('2099-01-01T00:00:00.000Z'),
    })
    app.enqueued.length = 0
    expect((await plan([item(one), item(two), item(two)])).body).toEqual({ planned: 1 })
    const added = (await rowsOf()).filter((row) => row.id !== first.id).map((row) => row.id)
    expect(app.enqueued).toEqual(added)
    await judgeAll()
    expect((await plan([item(one), item(two)])).body).toEqual({ planned: 0 })
    await app.request('patch', `/v1/criteria/${id}`, { judge_prompt: 'Fail an answer that is long.' })
    expect((await plan([item(one)], { instrument: 2 })).body).toEqual({ planned: 1 })
  })

  it('distinguishes the answers of different shadows', async () => {
    const log = newLog()
    expect((await shadow(log)).body).toEqual({ planned: 1 })
    expect((await shadow(log)).body).toEqual({ planned: 0 })
    expect((await shadow(log, { shadow_of: 'acme/two' })).body).toEqual({ planned: 1 })
    expect((await plan([item(log)])).body).toEqual({ planned: 1 })
    expect((await rowsOf('shadow')).map((row) => JSON.parse(row.judged_response))).toEqual([said, said])
  })

  it('accepts a large batch of answers', async () => {
    const response = { ...said, content: 'x'.repeat(1024 * 1024) }
    const items = Array.from({ length: 12 }, () => item(newLog(), { response }))
    expect((await plan(items, { source: 'shadow' })).body).toEqual({ planned: 12 })
    await app.operator.query('DELETE FROM judgement WHERE criterion_id = $1', [criterionUuid(id)])
  })

  it('is refused for another instrument than that of the judge', async () => {
    expect(errorOf(await plan([item(newLog())], { instrument: 2 }))).toEqual([409, 'conflict', 'instrument'])
    expect(await rowsOf()).toEqual([])
  })

  it.each<[string, () => Promise<Answer>]>([
    ['an invalid id', () => plan([item('nonsense')])],
    ['a shadow without an answer', () => plan([item(newLog())], { source: 'shadow' })],
    ['an answer with an item of a gate', () => plan([item(newLog(), { response: said })])],
  ])('refuses %s', async (_what, send) => {
    expect(errorOf(await send())).toEqual([400, 'invalid_request', 'items'])
  })
})

describe('verdicts of a gate', () => {
  const states = async (logs: readonly string[], more: object = {}) => {
    const { body } = await read(logs, more)
    return new Map<string, object>(body.data.map(({ log_id: log, ...rest }: { log_id: string }) => [log, rest]))
  }
  const pending = {
    trace_id: null,
    by_monitor: false,
    state: 'pending',
    verdict: null,
    failure: null,
    grade: null,
    skip_probability: null,
    grade_probability: null,
  }

  it('are pending, done or failed, and unplanned exchanges are left out', async () => {
    const [done, gone, given, unknown] = [newLog(), newLog(), newLog(), newLog()]
    await plan([item(done)])
    expect(await states([done, unknown])).toEqual(new Map([[done, pending]]))
    await judgeAll({ verdict: 'fail' })
    await plan([item(gone)])
    await judgeAll({ verdict: null, failure: 'gone' })
    await plan([item(given)])
    await app.operator.query("UPDATE judgement SET state = 'poisoned' WHERE log_id = $1", [uuidOf('log', given)])
    expect(await states([done, gone, given, done])).toEqual(
      new Map<string, object>([
        [done, { ...pending, state: 'done', verdict: 'fail' }],
        [gone, { ...pending, state: 'failed', failure: 'gone' }],
        [given, { ...pending, state: 'failed', failure: 'poisoned' }],
      ]),
    )
    expect(await states([done], { instrument: 2 })).toEqual(new Map())
    expect(await states([done], { source: 'shadow' })).toEqual(new Map())
    expect(errorOf(await read(['nonsense']))).toEqual([400, 'invalid_request', 'log_ids'])
  })

  it('are those of the monitor when it judges the same exchange, and are not paid for again', async () => {
    const [waiting, judged, left, older] = [newLog(), newLog(), newLog(), newLog()]
    await turn(true)
    await monitor(judged)
    await judgeAll()
    await monitor(left)
    await judgeAll({ verdict: null, failure: 'gone' })
    await monitor(older, { instrument: 7 })
    await monitor(waiting)
    expect((await plan([waiting, judged, left, older].map((log) => item(log)))).body).toEqual({ planned: 2 })
    expect((await rowsOf()).map((row) => row.log_id).sort()).toEqual(
      [left, older].map((log) => uuidOf('log', log)).sort(),
    )
    expect(await states([waiting, judged, left, older])).toEqual(
      new Map<string, object>([
        [waiting, { ...pending, by_monitor: true }],
        [judged, { ...pending, by_monitor: true, state: 'done', verdict: 'pass' }],
        [left, pending],
        [older, pending],
      ]),
    )
    await judgeAll({ verdict: 'fail' })
    expect((await states([left])).get(left)).toMatchObject({ state: 'done', verdict: 'fail' })
  })

  it('are its own when the monitor is off', async () => {
    const log = newLog()
    await monitor(log)
    expect((await plan([item(log)])).body).toEqual({ planned: 1 })
    await judgeAll()
  })

  it.each([
    ['has not judged', false],
    ['could not find', true],
  ])(
    'leave out exchanges that the monitor %s before it was turned off, until the gate judges them itself',
    async (_what, isLeft) => {
      const log = newLog()
      await turn(true)
      await monitor(log)
      expect((await plan([item(log)])).body).toEqual({ planned: 0 })
      expect(await states([log])).toEqual(new Map([[log, { ...pending, by_monitor: true }]]))
      await turn(false)
      if (isLeft) await judgeRequested()
      expect(await states([log])).toEqual(new Map())
      expect((await plan([item(log)])).body).toEqual({ planned: 1 })
      expect(await states([log])).toEqual(new Map([[log, pending]]))
      await judgeRequested()
      expect(await rowsOf('online')).toMatchObject([{ state: 'done', failure: 'gone' }])
      expect(await states([log])).toEqual(new Map([[log, { ...pending, state: 'done', verdict: 'fail' }]]))
    },
  )

  it('are those of the requested shadow', async () => {
    const log = newLog()
    await shadow(log)
    const [leased] = await judgeAll()
    expect(leased).toMatchObject({ source: 'shadow', judgedResponse: said, isRequested: true })
    await plan([item(log)])
    const of = (shadow_of: string) => states([log], { source: 'shadow', shadow_of })
    expect(await of('acme/one')).toEqual(new Map([[log, { ...pending, state: 'done', verdict: 'pass' }]]))
    expect(await of('acme/two')).toEqual(new Map())
    expect(await states([log])).toEqual(new Map([[log, pending]]))
  })

  it('come with the probability of a draw that is on record, not with one that a grade states', async () => {
    const [stated, drawn, picked] = [newLog(), newLog(), newLog()]
    const grade = (
      log: string,
      sampling: { readonly method: string; readonly probability: number },
      grader = 'ann',
    ) => {
      const of = { label: 'pass', criterionId: criterionUuid(id), workspaceId: app.workspaceId } as const
      return addGrade(app.operator, { ...of, ...sampling, at: app.clock.now(), grader, logId: uuidOf('log', log) })
    }
    await grade(stated, { method: 'gate', probability: 0.25 })
    await grade(drawn, { method: 'picked', probability: 1 })
    await grade(drawn, { method: 'judged', probability: 0.5 }, 'bea')
    await grade(picked, { method: 'picked', probability: 1 })
    const logs = [stated, drawn, picked]
    await plan(logs.map((log) => item(log)))
    const graded = await states(logs)
    const of = (grade_probability: number | null) => ({ ...pending, grade: 'pass', grade_probability })
    expect(logs.map((log) => graded.get(log))).toEqual([of(null), of(0.5), of(null)])
  })

  it('say which exchanges a draw of the judge offered before others that people graded', async () => {
    const of = { label: 'pass', criterionId: criterionUuid(id), workspaceId: app.workspaceId } as const
    const logs = Array.from({ length: 12 }, newLog)
    for (const log of logs) {
      const logId = uuidOf('log', log)
      await addGrade(app.operator, { ...of, method: 'random', probability: 1, at: app.clock.now(), logId })
    }
    await plan(logs.map((log) => item(log)))
    const skipped = async () =>
      (await read(logs)).body.data.filter((each: { skip_probability: number | null }) => each.skip_probability !== null)
    expect(await skipped()).toEqual([])
    const frames = await app.operator.query('SELECT id FROM grading_frame WHERE criterion_id = $1', [criterionUuid(id)])
    const rank = rankIn(frames.rows[0].id)
    const ranked = logs.toSorted((a, b) => (rank(uuidOf('log', a) ?? '') < rank(uuidOf('log', b) ?? '') ? -1 : 1))
    const left = [...ranked.slice(3, 6), ...ranked.slice(-2)].map((log) => uuidOf('log', log))
    await app.operator.query('DELETE FROM label WHERE log_id = ANY($1)', [left])
    const found = await skipped()
    expect(found.map((each: { log_id: string }) => each.log_id).toSorted()).toEqual(ranked.slice(3, 6).toSorted())
    expect(found[0]).toMatchObject({ grade: null, skip_probability: 1 })
  })

  it('come with grades; those for the judge take precedence over those of whole exchanges', async () => {
    const [own, whole, torn] = [newLog(), newLog(), newLog()]
    const grade = (log: string, label: 'pass' | 'fail', criterionId: string | null, grader = 'ann') => {
      const { workspaceId } = app
      const reported = { label, criterionId, workspaceId, at: app.clock.now(), grader, logId: uuidOf('log', log) }
      return addGrade(app.operator, { method: 'picked', ...reported })
    }
    await grade(own, 'fail', criterionUuid(id))
    await grade(own, 'pass', null)
    await grade(own, 'pass', null, 'bea')
    await grade(whole, 'pass', null)
    await grade(torn, 'pass', null)
    await grade(torn, 'fail', null, 'bea')
    await plan([item(own), item(whole), item(torn)])
    const graded = await states([own, whole, torn])
    expect([own, whole, torn].map((log) => graded.get(log))).toEqual([
      { ...pending, grade: 'fail' },
      { ...pending, grade: 'pass' },
      pending,
    ])
    await shadow(own)
    expect((await states([own], { source: 'shadow', shadow_of: 'acme/one' })).get(own)).toEqual(pending)
    const key = { workspaceId: app.workspaceId, criterionId: criterionUuid(id), unit: 'request' as const }
    expect(await createPgVerdicts(app.pool).randomGrades(key, [uuidOf('log', own) ?? ''])).toEqual(new Map())
    await judgeAll()
  })
})

describe('judging for a gate', () => {
  it.each(['gate', 'shadow'])('%s: is done without a monitor, under the weekly cap', async (source) => {
    const log = newLog()
    await app.request('patch', `/v1/criteria/${id}`, { online_cap_usd: 2 })
    await (source === 'gate' ? plan([item(log)]) : shadow(log))
    const [leased] = await judgeAll()
    const cap = {
      id: criterionUuid(id),
      capNano: 2_000_000_000n,
      windowStart: expect.any(Date),
      windowEnd: expect.any(Date),
    }
    expect(leased).toMatchObject({ isRequested: true, spendCap: cap, source })
    expect((await app.request('get', `/v1/criteria/${id}`)).body.online_spent_usd).toBeGreaterThan(0)
  })

  it.each(['gate', 'shadow'])(
    '%s: reads at once that the cap was raised and that the judge was retired',
    async (source) => {
      const log = newLog()
      await (source === 'gate' ? plan([item(log)]) : shadow(log))
      const [row] = await rowsOf(source)
      const wait = () =>
        app.operator.query("UPDATE judgement SET due_at = now() + interval '1 hour' WHERE id = $1", [row.id])
      await wait()
      await app.request('patch', `/v1/criteria/${id}`, { online_cap_usd: 3 })
      expect(await judgements().overdue(100)).toEqual([row.id])
      await wait()
      await app.request('patch', `/v1/criteria/${id}`, { status: 'retired' })
      expect(await judgeAll()).toMatchObject([{ id: row.id, isRequested: false }])
    },
  )

  it('is listed among verdicts of the judge, except for answers of shadows', async () => {
    const log = newLog()
    await plan([item(log)])
    await shadow(log)
    await judgeAll()
    const { total, verdicts } = await createPgVerdicts(app.pool).list({
      criterionId: criterionUuid(id),
      limit: 10,
      offset: 0,
    })
    expect([total, verdicts.map(({ source }) => source)]).toEqual([1, ['gate']])
    const filter = { criterionId: criterionUuid(id), source: 'shadow' as const, limit: 10, offset: 0 }
    expect(await createPgVerdicts(app.pool).list(filter)).toEqual({ total: 0, verdicts: [] })
  })
})
