import type { AliasSettings } from '@ratchet/contracts/aliases'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { judgeWith } from '../aliases/alias.fixture.ts'
import { isGated } from '../aliases/alias.ts'
import { evaluateAlias } from './evaluate-alias.ts'
import { type Hour, passHour } from './pass-hour.fixture.ts'
import { type WatchedAlias, watchedAlias } from './watched-alias.fixture.ts'

let own: WatchedAlias

beforeAll(async () => {
  own = await watchedAlias()
})

afterAll(() => own.drop())
beforeEach(() => own.clear())

const auto = { gate_mode: 'auto', canary_percent: 50 } as const satisfies Partial<AliasSettings>

const pass = (hour: Hour) => passHour(own, hour)

const equal = { answers: 150, targetFlawed: 10, canaryFlawed: 10 }

it('rolls back a worse canary by itself and publishes that with its evidence', async () => {
  await own.put(auto)
  let alias = await own.read()
  for (let hour = 0; hour < 6 && isGated(alias.settings); hour += 1) {
    alias = await pass({ answers: 100, targetFlawed: 20, canaryFlawed: 3 })
  }
  expect(alias).toMatchObject({ settings: { canary_percent: 0 }, gate: { state: 'rolled_back' }, updatedBy: 'gate' })
  expect(alias.epoch.number).toBe(2)
  expect(alias.gate.verdict).toMatchObject({ state: 'rolled_back', arms: { canary: { scored: expect.any(Number) } } })
  expect(alias.gate.verdict?.difference?.cs[1]).toBeLessThan(-0.05)
  expect(await own.audit()).toEqual(['gate_rollback', 'created'])
  expect(await own.published()).toEqual(['alias.gate.rolled_back'])
  const { rows } = await own.operator.query('SELECT id FROM alias WHERE canary_percent > 0')
  expect(rows).toEqual([])
})

it('notifies open pages of every evaluation and of a gate that begins again, but not of one that came too late', async () => {
  const topicsAfter = async (work: () => Promise<unknown>) => {
    own.topics.length = 0
    await work()
    return own.topics
  }
  const notified = ['alias:support', 'aliases']
  await own.put({ gate_mode: 'recommend', canary_percent: 50 })
  const read = await own.read()
  expect(await topicsAfter(() => own.evaluate())).toEqual(notified)
  own.judge = judgeWith({ instrument: 2 })
  expect(await topicsAfter(() => own.evaluate())).toEqual(expect.arrayContaining(notified))
  await own.put({ gate_mode: 'recommend', canary_percent: 40 })
  expect(await topicsAfter(() => evaluateAlias(own.deps, read))).toEqual([])
})

it('promotes an equal canary by itself, not before 24 hours', async () => {
  await own.put(auto)
  own.gradeOf = () => 'pass'
  let alias = await own.read()
  let hours = 0
  for (; hours < 40 && isGated(alias.settings); hours += 1) {
    alias = await pass(equal)
    if (hours === 20) expect(alias.gate.state).toBe('promote_ready')
  }
  expect(alias).toMatchObject({ settings: { canary_percent: 100 }, gate: { state: 'promoted' } })
  expect(hours).toBeGreaterThanOrEqual(23)
  expect(await own.audit()).toEqual(['gate_promote', 'created'])
  expect(await own.published()).toEqual(['alias.gate.promote_ready', 'alias.gate.promoted'])
}, 60_000)

it('changes nothing in the mode recommend', async () => {
  await own.put({ gate_mode: 'recommend', canary_percent: 50 })
  for (let hour = 0; hour < 4; hour += 1) await pass({ answers: 100, targetFlawed: 20, canaryFlawed: 2 })
  const alias = await own.read()
  expect(alias).toMatchObject({ settings: { canary_percent: 50 }, version: 1, gate: { state: 'rollback_recommended' } })
  expect(await own.published()).toEqual(['alias.gate.rollback_recommended'])
})

it('with too little traffic collects, is starved and expires, with one event for each', async () => {
  await own.put(auto)
  const little = { answers: 1, targetFlawed: 10, canaryFlawed: 10 }
  expect((await pass(little)).gate.state).toBe('collecting')
  own.clock.advance(36 * hourMs)
  expect((await pass(little)).gate.state).toBe('starved')
  await own.evaluate()
  own.clock.advance(36 * hourMs)
  expect((await pass(little)).gate.state).toBe('expired')
  await own.evaluate()
  expect(await own.audit()).toEqual(['gate_ended', 'gate_starved', 'created'])
  expect(await own.published()).toEqual(['alias.gate.starved', 'alias.gate.expired'])
  expect(own.planned).toHaveLength(4)
})

it('scores both arms by one rule, without answers of cache, fallback, other splits or mixed conversations', async () => {
  await own.put(auto)
  own.clock.advance(10_000)
  const turns = [
    { role: 'user', content: 'Hi.' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'Bye.' },
  ]
  const [target, canary] = [own.answer('target'), own.answer('canary')]
  own.answer('canary', { cached: true })
  own.answer('target', { fallback_from: 'sim/large', served_model: 'sim/medium' })
  own.answer('canary', { served_model: 'sim/medium' })
  const mixed = own.answer('canary', { messages: turns })
  own.clock.advance(60_000)
  await own.evaluate()
  await own.evaluate()
  const { rows } = await own.operator.query('SELECT log_id, arm, verdict, failure FROM canary_sample ORDER BY log_id')
  const found = new Map(rows.map((row) => [row.log_id, row]))
  expect(rows).toHaveLength(3)
  expect(found.get(target)).toMatchObject({ arm: 'target', verdict: 'pass' })
  expect(found.get(canary)).toMatchObject({ arm: 'canary', verdict: 'pass' })
  expect(found.get(mixed)).toMatchObject({ verdict: null, failure: 'mixed' })
})

it('leaves out a mixed conversation that the monitor has judged', async () => {
  await own.put(auto)
  own.clock.advance(10_000)
  const mixed = own.answer('canary', { messages: [{ role: 'assistant', content: 'Hello.' }] })
  const first = own.answer('canary')
  for (const logId of [mixed, first]) own.monitored.add(logId)
  own.clock.advance(60_000)
  await own.evaluate()
  const { arms } = await own.deps.canary.counts(await own.read(), own.clock.now())
  expect(arms.canary).toMatchObject({ scored: 1, mixed: 1 })
})

it('scores only the population and the share of the judge', async () => {
  own.judge = judgeWith({ population: 'billing', percent: 50 })
  await own.put(auto)
  own.clock.advance(10_000)
  for (let each = 0; each < 100; each += 1) {
    own.answer('canary', { tag: 'billing' })
    own.answer('target', { tag: 'other' })
  }
  own.clock.advance(60_000)
  await own.evaluate()
  expect(own.planned.length).toBeGreaterThan(25)
  expect(own.planned.length).toBeLessThan(75)
  const { rows } = await own.operator.query(`SELECT DISTINCT arm FROM canary_sample`)
  expect(rows).toEqual([{ arm: 'canary' }])
})

it('scores one answer of a trace with sticky_by trace', async () => {
  await own.put({ ...auto, sticky_by: 'trace' })
  own.clock.advance(10_000)
  const messages = [{ role: 'assistant', content: 'Hello.' }]
  for (let each = 0; each < 5; each += 1) own.answer('canary', { trace_id: 'run-1', messages })
  own.answer('canary', { trace_id: 'run-2', messages })
  own.clock.advance(60_000)
  await own.evaluate()
  await own.evaluate()
  expect(own.planned).toHaveLength(2)
})

it('reads an exchange only after the ingest lag', async () => {
  await own.put(auto)
  own.clock.advance(10_000)
  own.answer('canary')
  own.clock.advance(20_000)
  await own.evaluate()
  expect(own.planned).toHaveLength(0)
  own.clock.advance(20_000)
  await own.evaluate()
  expect(own.planned).toHaveLength(1)
  await own.evaluate()
  expect(own.planned).toHaveLength(1)
})

it('counts no answers from before the split, and starts at zero after a change', async () => {
  own.answer('canary')
  await own.put(auto)
  own.clock.advance(1_000)
  own.answer('canary')
  own.clock.advance(10_000)
  own.answer('canary')
  own.clock.advance(60_000)
  await own.evaluate()
  await own.evaluate()
  const counts = async () => (await own.deps.canary.counts(await own.read(), own.clock.now())).arms.canary.scored
  expect(await counts()).toBe(1)
  await own.put({ ...auto, canary_percent: 20 })
  expect(await counts()).toBe(0)
  expect((await own.read()).gate).toMatchObject({ state: 'collecting', evaluations: 0 })
})

it('starts a new epoch when its judge changed, and records that', async () => {
  await own.put(auto)
  await pass(equal)
  own.judge = judgeWith({ instrument: 2 })
  const alias = await own.evaluate()
  expect(alias.epoch.number).toBe(2)
  expect(alias.gate).toMatchObject({ state: 'collecting', evaluations: 0, judge: { instrument: 2 } })
  expect(await own.audit()).toEqual(['gate_reset', 'created'])
  expect((await own.deps.canary.counts(alias, own.clock.now())).arms.canary.scored).toBe(0)
})

it('starts a new epoch also when a user changed the alias before the evaluation', async () => {
  await own.put(auto)
  await pass(equal)
  own.judge = judgeWith({ instrument: 2 })
  await own.put({ ...auto, description: 'Ours.' })
  expect((await own.evaluate()).epoch.number).toBe(2)
})

it('concurrent evaluations start one new epoch and do not act on older counts', async () => {
  await own.put(auto)
  const slow = await pass({ answers: 100, targetFlawed: 20, canaryFlawed: 2 })
  await own.put({ ...auto, gate_confidence: 0.9 })
  const stale = await own.read()
  own.judge = judgeWith({ instrument: 2 })
  await Promise.all([evaluateAlias(own.deps, stale), evaluateAlias(own.deps, stale)])
  expect((await own.read()).epoch.number).toBe(stale.epoch.number + 1)
  expect((await own.audit()).filter((kind) => kind === 'gate_reset')).toHaveLength(1)
  expect(slow.gate.state).toBe('rolled_back')
})

it('a PUT does not overwrite the result of a concurrent evaluation', async () => {
  await own.put(auto)
  await pass({ answers: 3, targetFlawed: 2, canaryFlawed: 2 })
  const found = await own.read()
  await own.put({ ...auto, description: 'Ours.' })
  expect(await own.read()).toMatchObject({ cursorLogId: found.cursorLogId, gate: found.gate, version: 2 })
})

it('continues with other samples when one exchange cannot be read', async () => {
  await own.put(auto)
  own.clock.advance(10_000)
  const [bad] = [own.answer('target'), own.answer('target'), own.answer('canary')]
  own.clock.advance(60_000)
  const { entry } = own.deps.log
  Object.assign(own.deps.log, {
    entry: (...args: Parameters<typeof entry>) =>
      args[1] === bad ? Promise.reject(new Error('unreadable')) : entry(...args),
  })
  await own.evaluate()
  await own.evaluate()
  Object.assign(own.deps.log, { entry })
  expect(own.planned).toHaveLength(2)
  const { rows } = await own.operator.query(
    `SELECT count(*)::int AS judged FROM canary_sample WHERE verdict IS NOT NULL`,
  )
  expect(rows).toEqual([{ judged: 2 }])
  expect(own.events.map(({ kind }) => kind)).toContain('failed')
})

it('counts verdicts up to the first open sample, but waits for that no longer than ten minutes', async () => {
  await own.put(auto)
  await pass({ answers: 5, targetFlawed: 2, canaryFlawed: 2 })
  const alias = await own.read()
  await own.operator.query(`UPDATE canary_sample SET state = 'open', verdict = NULL
    WHERE log_id = (SELECT log_id FROM canary_sample ORDER BY log_id OFFSET 4 LIMIT 1)`)
  const scoredAt = async (at: Date) => {
    const { target, canary } = (await own.deps.canary.counts(alias, at)).arms
    return [target.scored + canary.scored, target.open + canary.open]
  }
  const { rows } = await own.operator.query<{ at: Date }>('SELECT max(created_at) AS at FROM canary_sample')
  const chosenAt = rows[0]?.at ?? new Date()
  expect(await scoredAt(chosenAt)).toEqual([4, 1])
  expect(await scoredAt(new Date(chosenAt.getTime() + 601_000))).toEqual([9, 1])
})

it('publishes a sample ratio mismatch and the end of the window, each once', async () => {
  await own.put(auto)
  await own.report('target', { served: 900, errors: 0 })
  await own.report('canary', { served: 100, errors: 0 })
  expect((await own.evaluate()).gate).toMatchObject({ state: 'inconclusive', reason: expect.stringContaining('srm') })
  await own.evaluate()
  await own.report('canary', { served: 800, errors: 0 })
  await pass({ answers: 120, targetFlawed: 10, canaryFlawed: 10 })
  own.clock.advance(80 * hourMs)
  expect((await own.evaluate()).gate).toMatchObject({
    state: 'inconclusive',
    reason: expect.stringContaining('After 72 h'),
  })
  expect(await own.published()).toEqual(['alias.gate.inconclusive', 'alias.gate.inconclusive'])
  expect(await own.audit()).toEqual(['gate_ended', 'created'])
})

it('publishes the end of the window also directly after a sample ratio mismatch', async () => {
  await own.put(auto)
  await pass({ answers: 120, targetFlawed: 10, canaryFlawed: 10 })
  await own.report('target', { served: 900, errors: 0 })
  const mismatch = (await own.evaluate()).gate
  expect(mismatch).toMatchObject({ state: 'inconclusive', reason: expect.stringContaining('srm') })
  own.clock.advance(80 * hourMs)
  await own.report('canary', { served: 900, errors: 0 })
  const ended = (await own.evaluate()).gate
  expect(ended).toMatchObject({ state: 'inconclusive', reason: expect.stringContaining('After 72 h') })
  expect(ended.decidedAt).not.toEqual(mismatch.decidedAt)
  await own.evaluate()
  expect(await own.published()).toEqual(['alias.gate.inconclusive', 'alias.gate.inconclusive'])
  expect(await own.audit()).toEqual(['gate_ended', 'created'])
})

it('reads the log later when the judge is unavailable, and misses no answer', async () => {
  await own.put(auto)
  await own.operator.query('UPDATE alias SET gate_judge = NULL')
  own.judge = new FleetCallError('judging did not answer', { status: 0 })
  own.clock.advance(10_000)
  own.answer('canary')
  own.clock.advance(60_000)
  expect((await own.evaluate()).gate.state).toBe('collecting')
  own.judge = judgeWith()
  await own.evaluate()
  expect(own.planned).toHaveLength(1)
})

it('checks guards while judging is unavailable', async () => {
  await own.put({
    ...auto,
    gate_guard: { max_error_rate_increase: 0.05, max_latency_ratio: null, max_cost_ratio: null },
  })
  own.judge = new FleetCallError('judging did not answer', { status: 0 })
  await own.report('target', { served: 300, errors: 3 })
  await own.report('canary', { served: 300, errors: 150 })
  const alias = await own.evaluate()
  expect(alias).toMatchObject({ settings: { canary_percent: 0 }, gate: { state: 'rolled_back' } })
  expect(alias.gate.reason).toContain('error_rate_increase')
  expect(own.events.map(({ kind }) => kind)).toContain('acted')
})

it('changes no alias that a user changed during the evaluation', async () => {
  await own.put(auto)
  for (let hour = 0; hour < 2; hour += 1) {
    own.clock.advance(10_000)
    for (let each = 0; each < 150; each += 1) {
      own.answer('target')
      own.answer('canary', { verdict: 'fail' })
    }
    own.clock.advance(60_000)
  }
  await own.deps.canary.take(10, 0, [])
  const { judgeOf } = own.deps
  let isFirst = true
  Object.assign(own.deps, {
    judgeOf: async (...args: Parameters<typeof judgeOf>) => {
      if (!isFirst) await own.put({ ...auto, description: 'Changed.' })
      isFirst = false
      return judgeOf(...args)
    },
  })
  await own.evaluate()
  await own.evaluate()
  Object.assign(own.deps, { judgeOf })
  const alias = await own.read()
  expect(alias).toMatchObject({ settings: { canary_percent: 50, description: 'Changed.' }, version: 2 })
  expect(own.events.at(-1)).toMatchObject({ kind: 'lost' })
})

it('mirrors a share of the requests, each once', async () => {
  await own.put({ canary_percent: 0, gate_mode: null, shadow_model: 'sim/medium', shadow_percent: 50 })
  own.clock.advance(10_000)
  for (let each = 0; each < 100; each += 1) own.answer('target')
  own.answer('target', { cached: true })
  own.clock.advance(60_000)
  await own.evaluate()
  await own.evaluate()
  const { rows } = await own.operator.query('SELECT id, model FROM shadow_sample')
  expect(rows.length).toBeGreaterThan(25)
  expect(rows.length).toBeLessThan(75)
  expect(new Set(rows.map(({ model }) => model))).toEqual(new Set(['sim/medium']))
})

it('is taken by one worker at a time, when it is due and not in progress', async () => {
  const { id } = await own.put(auto)
  const { canary } = own.deps
  const taken = await Promise.all([canary.take(8, 60_000, []), canary.take(8, 60_000, [])])
  expect(taken.flat()).toHaveLength(1)
  expect(await canary.take(8, 60_000, [])).toHaveLength(0)
  await own.operator.query('UPDATE alias SET look_due_at = now()')
  expect(await canary.take(8, 60_000, [{ id }])).toHaveLength(0)
  expect(await canary.take(8, 60_000, [])).toHaveLength(1)
  await own.put({ ...auto, canary_percent: 0 })
  expect(await canary.take(8, 60_000, [])).toHaveLength(0)
})
