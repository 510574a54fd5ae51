import type { AliasSettings } from '@ratchet/contracts/aliases'
import { FleetCallError } from '@ratchet/service-kit/fleet-client'
import { judgeWith } from '../aliases/alias.fixture.ts'
import { isGated } from '../aliases/alias.ts'
import { evaluateAlias } from './evaluate-alias.ts'
import { type WatchedAlias, watchedAlias } from './watched-alias.fixture.ts'

let own: WatchedAlias

beforeAll(async () => {
  own = await watchedAlias()
})

afterAll(() => own.drop())
beforeEach(() => own.clear())

const hourMs = 3_600_000
const auto = { gate_mode: 'auto', canary_percent: 50 } as const satisfies Partial<AliasSettings>

interface Hour {
  /** Answers of each arm, of which one in so many is flawed. */
  readonly answers: number
  readonly targetFlawed: number
  readonly canaryFlawed: number
}

/** An hour of traffic, and a look once it is settled. */
async function pass({ answers, targetFlawed, canaryFlawed }: Hour) {
  own.clock.advance(10_000)
  for (let each = 0; each < answers; each += 1) {
    own.answer('target', { verdict: each % targetFlawed === 0 ? 'fail' : 'pass' })
    own.answer('canary', { verdict: each % canaryFlawed === 0 ? 'fail' : 'pass' })
    own.clock.advance(10)
  }
  own.clock.advance(hourMs)
  await own.evaluation()
  return own.evaluation()
}

const equal = { answers: 150, targetFlawed: 10, canaryFlawed: 10 }

it('rolls a worse canary back by itself, tells of it with its evidence, and is done', async () => {
  await own.put(auto)
  let alias = await own.read()
  for (let hour = 0; hour < 6 && isGated(alias.settings); hour += 1) {
    alias = await pass({ answers: 100, targetFlawed: 20, canaryFlawed: 3 })
  }
  expect(alias).toMatchObject({ settings: { canary_percent: 0 }, gate: { state: 'rolled_back' }, updatedBy: 'gate' })
  expect(alias.epoch.number).toBe(2)
  expect(alias.gate.verdict).toMatchObject({ state: 'rolled_back', arms: { canary: { scored: expect.any(Number) } } })
  expect(alias.gate.verdict?.difference?.cs[1]).toBeLessThan(-0.05)
  expect(await own.audit()).toEqual(['gate_rollback', 'repoint'])
  expect(await own.reported()).toEqual(['alias.gate.rolled_back'])
  const { rows } = await own.operator.query('SELECT id FROM alias WHERE canary_percent > 0')
  expect(rows).toEqual([])
})

it('promotes an equal canary by itself, not before a day is over', async () => {
  await own.put(auto)
  let alias = await own.read()
  let hours = 0
  for (; hours < 40 && isGated(alias.settings); hours += 1) {
    alias = await pass(equal)
    if (hours === 20) expect(alias.gate.state).toBe('promote_ready')
  }
  expect(alias).toMatchObject({ settings: { canary_percent: 100 }, gate: { state: 'promoted' } })
  expect(hours).toBeGreaterThanOrEqual(23)
  expect(await own.audit()).toEqual(['gate_promote', 'repoint'])
  expect(await own.reported()).toEqual(['alias.gate.promote_ready', 'alias.gate.promoted'])
}, 60_000)

it('waits for people’s grades before it promotes by itself', async () => {
  const graded = { ...own.deps, rules: { promoteAfterMs: 0, gradesPerArm: 20 } }
  const before = own.deps.rules
  Object.assign(own.deps, graded)
  await own.put(auto)
  let alias = await own.read()
  for (let hour = 0; hour < 12; hour += 1) alias = await pass(equal)
  expect(alias.gate.state).toBe('promote_ready')
  expect(alias.gate.reason).toContain('graded 0 scored answers')
  own.gradeOf = () => 'pass'
  await own.evaluation()
  expect((await own.read()).gate.state).toBe('promoted')
  Object.assign(own.deps, { rules: before })
}, 60_000)

it('only tells in the mode recommend', async () => {
  await own.put({ gate_mode: 'recommend', canary_percent: 50 })
  for (let hour = 0; hour < 4; hour += 1) await pass({ answers: 100, targetFlawed: 20, canaryFlawed: 2 })
  const alias = await own.read()
  expect(alias).toMatchObject({ settings: { canary_percent: 50 }, version: 1, gate: { state: 'rollback_recommended' } })
  expect(await own.reported()).toEqual(['alias.gate.rollback_recommended'])
})

it('collects with too little traffic, is starved, and expires; each is told once', async () => {
  await own.put(auto)
  const little = { answers: 1, targetFlawed: 10, canaryFlawed: 10 }
  expect((await pass(little)).gate.state).toBe('collecting')
  own.clock.advance(36 * hourMs)
  expect((await pass(little)).gate.state).toBe('starved')
  await own.evaluation()
  own.clock.advance(36 * hourMs)
  expect((await pass(little)).gate.state).toBe('expired')
  await own.evaluation()
  expect(await own.audit()).toEqual(['gate_ended', 'gate_starved', 'repoint'])
  expect(await own.reported()).toEqual(['alias.gate.starved', 'alias.gate.expired'])
  expect(own.planned).toHaveLength(4)
})

it('has both arms judged by one rule, and nothing from the cache, a fallback, another split or a mixed conversation', async () => {
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
  await own.evaluation()
  await own.evaluation()
  const { rows } = await own.operator.query('SELECT log_id, arm, verdict, failure FROM canary_sample ORDER BY log_id')
  const found = new Map(rows.map((row) => [row.log_id, row]))
  expect(rows).toHaveLength(3)
  expect(found.get(target)).toMatchObject({ arm: 'target', verdict: 'pass' })
  expect(found.get(canary)).toMatchObject({ arm: 'canary', verdict: 'pass' })
  expect(found.get(mixed)).toMatchObject({ verdict: null, failure: 'mixed' })
})

it('judges the judge’s population alone, and its share of it', async () => {
  own.judge = judgeWith({ population: 'billing', percent: 50 })
  await own.put(auto)
  own.clock.advance(10_000)
  for (let each = 0; each < 100; each += 1) {
    own.answer('canary', { tag: 'billing' })
    own.answer('target', { tag: 'other' })
  }
  own.clock.advance(60_000)
  await own.evaluation()
  expect(own.planned.length).toBeGreaterThan(25)
  expect(own.planned.length).toBeLessThan(75)
  const { rows } = await own.operator.query(`SELECT DISTINCT arm FROM canary_sample`)
  expect(rows).toEqual([{ arm: 'canary' }])
})

it('scores one answer of a trace where traces are kept together', async () => {
  await own.put({ ...auto, sticky_by: 'trace' })
  own.clock.advance(10_000)
  const messages = [{ role: 'assistant', content: 'Hello.' }]
  for (let each = 0; each < 5; each += 1) own.answer('canary', { trace_id: 'run-1', messages })
  own.answer('canary', { trace_id: 'run-2', messages })
  own.clock.advance(60_000)
  await own.evaluation()
  await own.evaluation()
  expect(own.planned).toHaveLength(2)
})

it('waits until nothing can be stored before what it has seen', async () => {
  await own.put(auto)
  own.clock.advance(10_000)
  own.answer('canary')
  own.clock.advance(20_000)
  await own.evaluation()
  expect(own.planned).toHaveLength(0)
  own.clock.advance(20_000)
  await own.evaluation()
  expect(own.planned).toHaveLength(1)
  await own.evaluation()
  expect(own.planned).toHaveLength(1)
})

it('counts nothing of before the split, and begins anew when it is changed', async () => {
  own.answer('canary')
  await own.put(auto)
  own.clock.advance(1_000)
  own.answer('canary')
  own.clock.advance(10_000)
  own.answer('canary')
  own.clock.advance(60_000)
  await own.evaluation()
  await own.evaluation()
  const counts = async () => (await own.deps.canary.counts(await own.read(), own.clock.now())).arms.canary.scored
  expect(await counts()).toBe(1)
  await own.put({ ...auto, canary_percent: 20 })
  expect(await counts()).toBe(0)
  expect((await own.read()).gate).toMatchObject({ state: 'collecting', evaluations: 0 })
})

it('begins anew when its judge is changed, and says so', async () => {
  await own.put(auto)
  await pass(equal)
  own.judge = judgeWith({ instrument: 2 })
  const alias = await own.evaluation()
  expect(alias.epoch.number).toBe(2)
  expect(alias.gate).toMatchObject({ state: 'collecting', evaluations: 0, judge: { instrument: 2 } })
  expect(await own.audit()).toEqual(['gate_reset', 'repoint'])
  expect((await own.deps.canary.counts(alias, own.clock.now())).arms.canary.scored).toBe(0)
})

it('begins anew also when somebody changed the alias before it looked', async () => {
  await own.put(auto)
  await pass(equal)
  own.judge = judgeWith({ instrument: 2 })
  await own.put({ ...auto, description: 'Ours.' })
  expect((await own.evaluation()).epoch.number).toBe(2)
})

it('begins anew once, and does not act on what it had counted before', async () => {
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

it('keeps a PUT from writing back what a look has found meanwhile', async () => {
  await own.put(auto)
  await pass({ answers: 3, targetFlawed: 2, canaryFlawed: 2 })
  const found = await own.read()
  await own.put({ ...auto, description: 'Ours.' })
  expect(await own.read()).toMatchObject({ cursorLogId: found.cursorLogId, gate: found.gate, version: 2 })
})

it('asks for everybody’s grades in turn, and hears of those that change', async () => {
  await own.put(auto)
  await pass({ answers: 15, targetFlawed: 10, canaryFlawed: 10 })
  const [first, second] = await Promise.all([own.deps.canary.gradableSamples(await own.read(), 20), own.read()])
  own.clock.advance(1_000)
  await own.deps.canary.keepGrades(
    second,
    first.map(({ logId }) => ({ logId, grade: null })),
    own.clock.now(),
  )
  const all = await own.deps.canary.gradableSamples(second, 100)
  expect([first.length, all.length]).toEqual([20, 30])
  expect(all.slice(0, 10).some(({ logId }) => first.some((each) => each.logId === logId))).toBe(false)
  own.gradeOf = () => 'fail'
  await own.evaluation()
  own.gradeOf = () => 'pass'
  await own.evaluation()
  const { arms } = await own.deps.canary.counts(await own.read(), own.clock.now())
  expect(arms.target).toMatchObject({ graded: 15, agreed: arms.target.scored - arms.target.fails })
})

it('goes on with the others when one entry of the log cannot be read', async () => {
  await own.put(auto)
  own.clock.advance(10_000)
  const [bad] = [own.answer('target'), own.answer('target'), own.answer('canary')]
  own.clock.advance(60_000)
  const { entry } = own.deps.log
  Object.assign(own.deps.log, {
    entry: (...asked: Parameters<typeof entry>) =>
      asked[1] === bad ? Promise.reject(new Error('unreadable')) : entry(...asked),
  })
  await own.evaluation()
  await own.evaluation()
  Object.assign(own.deps.log, { entry })
  expect(own.planned).toHaveLength(2)
  const { rows } = await own.operator.query(
    `SELECT count(*)::int AS judged FROM canary_sample WHERE verdict IS NOT NULL`,
  )
  expect(rows).toEqual([{ judged: 2 }])
  expect(own.events.map(({ kind }) => kind)).toContain('failed')
})

it('counts verdicts up to the first sample that is still open, and not for ever', async () => {
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

it('tells of uneven arms and of the end of its window, each once', async () => {
  await own.put(auto)
  await own.report('target', { served: 900, errors: 0 })
  await own.report('canary', { served: 100, errors: 0 })
  expect((await own.evaluation()).gate).toMatchObject({ state: 'inconclusive', reason: expect.stringContaining('srm') })
  await own.evaluation()
  await own.report('canary', { served: 800, errors: 0 })
  await pass({ answers: 120, targetFlawed: 10, canaryFlawed: 10 })
  own.clock.advance(80 * hourMs)
  expect((await own.evaluation()).gate).toMatchObject({
    state: 'inconclusive',
    reason: expect.stringContaining('After 72 h'),
  })
  expect(await own.reported()).toEqual(['alias.gate.inconclusive', 'alias.gate.inconclusive'])
  expect(await own.audit()).toEqual(['gate_ended', 'repoint'])
})

it('reads no log that it could not choose from: what came by without a judge is scored when there is one', async () => {
  await own.put(auto)
  await own.operator.query('UPDATE alias SET gate_judge = NULL')
  own.judge = new FleetCallError('judging did not answer', { status: 0 })
  own.clock.advance(10_000)
  own.answer('canary')
  own.clock.advance(60_000)
  expect((await own.evaluation()).gate.state).toBe('collecting')
  own.judge = judgeWith()
  await own.evaluation()
  expect(own.planned).toHaveLength(1)
})

it('keeps its guard while the judges are away', async () => {
  await own.put({
    ...auto,
    gate_guard: { max_error_rate_increase: 0.05, max_latency_ratio: null, max_cost_ratio: null },
  })
  own.judge = new FleetCallError('judging did not answer', { status: 0 })
  await own.report('target', { served: 300, errors: 3 })
  await own.report('canary', { served: 300, errors: 150 })
  const alias = await own.evaluation()
  expect(alias).toMatchObject({ settings: { canary_percent: 0 }, gate: { state: 'rolled_back' } })
  expect(alias.gate.reason).toContain('error_rate_increase')
  expect(own.events.map(({ kind }) => kind)).toContain('acted')
})

it('does nothing to an alias that somebody changed while it looked', async () => {
  await own.put(auto)
  for (let hour = 0; hour < 2; hour += 1) {
    own.clock.advance(10_000)
    for (let each = 0; each < 150; each += 1) {
      own.answer('target')
      own.answer('canary', { verdict: 'fail' })
    }
    own.clock.advance(60_000)
  }
  await own.deps.canary.take(10, 0)
  const { judgeOf } = own.deps
  let isFirst = true
  Object.assign(own.deps, {
    judgeOf: async (...asked: Parameters<typeof judgeOf>) => {
      if (!isFirst) await own.put({ ...auto, description: 'Mine.' })
      isFirst = false
      return judgeOf(...asked)
    },
  })
  await own.evaluation()
  await own.evaluation()
  Object.assign(own.deps, { judgeOf })
  const alias = await own.read()
  expect(alias).toMatchObject({ settings: { canary_percent: 50, description: 'Mine.' }, version: 2 })
  expect(own.events.at(-1)).toMatchObject({ kind: 'lost' })
})

it('has a share of the requests mirrored, each once', async () => {
  await own.put({ canary_percent: 0, gate_mode: null, shadow_model: 'sim/medium', shadow_percent: 50 })
  own.clock.advance(10_000)
  for (let each = 0; each < 100; each += 1) own.answer('target')
  own.answer('target', { cached: true })
  own.clock.advance(60_000)
  await own.evaluation()
  await own.evaluation()
  const { rows } = await own.operator.query('SELECT id, model FROM shadow_sample')
  expect(rows.length).toBeGreaterThan(25)
  expect(rows.length).toBeLessThan(75)
  expect(new Set(rows.map(({ model }) => model))).toEqual(new Set(['sim/medium']))
})

it('is looked at by one worker at a time, when it is due', async () => {
  await own.put(auto)
  const { canary } = own.deps
  const taken = await Promise.all([canary.take(8, 60_000), canary.take(8, 60_000)])
  expect(taken.flat()).toHaveLength(1)
  expect(await canary.take(8, 60_000)).toHaveLength(0)
  await own.put({ ...auto, canary_percent: 0 })
  expect(await canary.take(8, 60_000)).toHaveLength(0)
})
