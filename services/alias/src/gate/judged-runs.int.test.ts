import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { Arm } from '@ratchet/contracts/internal-alias'
import { publicId } from '@ratchet/contracts/public-id'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { judgeWith } from '../aliases/alias.fixture.ts'
import { type WatchedAlias, watchedAlias } from './watched-alias.fixture.ts'

const minuteMs = 60_000

let own: WatchedAlias

beforeAll(async () => {
  own = await watchedAlias()
})
afterAll(() => own.drop())
beforeEach(async () => {
  await own.clear()
  own.judge = judgeWith({ unit: 'trace' })
})

const gate = { gate_mode: 'auto', canary_percent: 50, sticky_by: 'trace' } as const satisfies Partial<AliasSettings>

interface Run {
  readonly steps?: number
  /** Whether the run ends with an answer. */
  readonly ends?: boolean
  readonly isFlawed?: boolean
  /** Changes the last step. */
  readonly last?: object
}

/** Logs a run of which each step has a second. */
function run(arm: Arm, traceId: string, { steps = 3, ends = true, isFlawed = false, last = {} }: Run = {}): void {
  for (let step = 0; step < steps; step += 1) {
    const isLast = step === steps - 1
    own.answer(arm, {
      trace_id: traceId,
      finish_reason: isLast && ends ? 'stop' : 'tool_calls',
      messages: [{ role: 'assistant', content: 'Before.' }],
      ...(isFlawed ? { verdict: 'fail' } : {}),
      ...(isLast ? last : {}),
    })
    own.clock.advance(1_000)
  }
}

async function samples() {
  const text = 'SELECT cluster, arm, state, verdict, failure FROM canary_sample ORDER BY cluster'
  return (await own.operator.query(text)).rows
}

const sampleOf = async (traceId: string) => (await samples()).find(({ cluster }) => cluster === traceId)
const arms = async () => (await own.deps.canary.counts(await own.read(), own.clock.now())).arms
const pass = async (ms: number) => {
  own.clock.advance(ms)
  await own.evaluate()
}

it('scores a run once, when it is completed, with exactly the steps that it checked', async () => {
  await own.put(gate)
  own.clock.advance(10_000)
  run('canary', 'run-1', { steps: 4 })
  await pass(minuteMs)
  await pass(8 * minuteMs)
  expect([await samples(), own.plannedRuns]).toEqual([
    [{ cluster: 'run-1', arm: 'canary', state: 'open', verdict: null, failure: null }],
    [],
  ])
  await pass(3 * minuteMs)
  await pass(10_000)
  await pass(10_000)
  expect(own.plannedRuns).toHaveLength(1)
  const { rows } = await own.operator.query('SELECT log_id FROM canary_sample')
  const [planned] = own.plannedRuns
  expect(planned).toMatchObject({ trace_id: 'run-1', canary: true, segment: 'none' })
  expect(planned?.step_ids).toHaveLength(4)
  expect(planned?.step_ids[0]).toBe(publicId('log', rows[0].log_id))
  expect(await sampleOf('run-1')).toMatchObject({ state: 'done', verdict: 'pass' })
  expect((await arms()).canary).toMatchObject({ scored: 1, fails: 0 })
})

it('leaves out runs that mixed models and counts them; runs that do not end count as failed', async () => {
  const early = { trace_id: 'early', finish_reason: 'tool_calls' }
  own.answer('canary', early)
  own.clock.advance(1_000)
  await own.put(gate)
  own.clock.advance(10_000)
  run('canary', 'early')
  run('canary', 'fallback', { last: { fallback_from: 'sim/small', served_model: 'sim/large' } })
  run('canary', 'direct', { last: { alias: null, canary: false } })
  run('canary', 'open', { ends: false })
  run('canary', 'large')
  run('target', 'unreadable')
  run('target', 'fine')
  own.failureOf = (traceId) => ({ large: 'too_large', unreadable: 'unparseable' })[traceId] ?? null
  for (const wait of [minuteMs, 11 * minuteMs, 10_000]) await pass(wait)
  expect(await sampleOf('open')).toMatchObject({ state: 'open' })
  await pass(50 * minuteMs)
  const failures = (await samples()).map(({ cluster, failure }) => [cluster, failure])
  expect(Object.fromEntries(failures)).toEqual({
    direct: 'assisted',
    early: 'mixed',
    fallback: 'assisted',
    fine: null,
    large: 'unfinished',
    open: 'unfinished',
    unreadable: 'unparseable',
  })
  const { target, canary } = await arms()
  expect(canary).toMatchObject({ scored: 2, fails: 2, unfinished: 2, assisted: 2, mixed: 1, unjudged: 0 })
  expect(target).toMatchObject({ scored: 1, fails: 0, unfinished: 0, unjudged: 1 })
})

it('counts in the order in which runs began, so that quick runs do not come first', async () => {
  await own.put(gate)
  own.clock.advance(10_000)
  run('canary', 'a quick')
  run('canary', 'b slow', { ends: false, isFlawed: true })
  for (let each = 0; each < 5; each += 1) run('canary', `c quick ${each}`)
  for (const wait of [minuteMs, 12 * minuteMs, 10_000]) await pass(wait)
  run('canary', 'b slow')
  await pass(minuteMs)
  expect((await arms()).canary).toMatchObject({ scored: 1, open: 1 })
  for (const wait of [12 * minuteMs, 10_000]) await pass(wait)
  expect((await arms()).canary).toMatchObject({ scored: 7, fails: 1, open: 0 })
})

it('promotes on grades of runs that it drew, not before the runs of the canary that it left out are few enough', async () => {
  await own.put({ ...gate, gate_rollback_threshold: 0.2 })
  own.gradeOf = (traceId) => (/^\w+ \d+$/.test(traceId) ? 'pass' : null)
  own.clock.advance(10_000)
  const both = (from: number, more: Run = {}) => {
    for (let each = from; each < from + 150; each += 1) {
      run('target', `target ${each}`, { steps: 2 })
      run('canary', `canary ${each}`, { steps: 2, ...(each % 3 === 0 ? more : {}) })
    }
  }
  both(0, { last: { fallback_from: 'sim/small', served_model: 'sim/large' } })
  for (const wait of [minuteMs, 12 * minuteMs, 10_000, 10_000]) await pass(wait)
  const held = await own.read()
  expect(held.gate.state).toBe('healthy')
  expect((await arms()).canary).toMatchObject({ scored: 100, assisted: 50 })
  expect(held.gate.reason).toContain('50 runs of the canary')
  // The same runs without the fallbacks.
  await own.clear()
  own.judge = judgeWith({ unit: 'trace' })
  await own.put({ ...gate, gate_rollback_threshold: 0.2 })
  own.gradeOf = () => 'pass'
  own.clock.advance(10_000)
  both(1_000)
  for (const wait of [minuteMs, 12 * minuteMs, 10_000, 10_000]) await pass(wait)
  expect((await own.read()).gate.state).toBe('promote_ready')
  await pass(24 * hourMs)
  expect(await own.read()).toMatchObject({ settings: { canary_percent: 100 }, gate: { state: 'promoted' } })
}, 60_000)

it('rolls back a canary whose runs do not end', async () => {
  await own.put(gate)
  own.clock.advance(10_000)
  for (let each = 0; each < 150; each += 1) {
    run('target', `target ${each}`, { steps: 2 })
    run('canary', `canary ${each}`, { steps: 2, ends: each % 2 === 0 })
  }
  for (const wait of [minuteMs, 12 * minuteMs, 50 * minuteMs, 10_000, 10_000]) await pass(wait)
  expect(await own.read()).toMatchObject({ settings: { canary_percent: 0 }, gate: { state: 'rolled_back' } })
}, 60_000)

it('does not lose a canary whose every step a fallback answers', async () => {
  await own.put(gate)
  own.clock.advance(10_000)
  const fallback = { fallback_from: 'sim/small', served_model: 'sim/large' }
  own.answer('canary', { trace_id: 'run-1', ...fallback })
  await pass(minuteMs)
  await pass(12 * minuteMs)
  expect(await sampleOf('run-1')).toMatchObject({ arm: 'canary', failure: 'assisted' })
})

it('checks runs that the monitor judged too', async () => {
  await own.put(gate)
  own.clock.advance(10_000)
  run('canary', 'fallback', { last: { fallback_from: 'sim/small', served_model: 'sim/large' } })
  run('canary', 'fine')
  for (const traceId of ['fallback', 'fine']) own.monitored.add(traceId)
  for (const wait of [minuteMs, 12 * minuteMs]) await pass(wait)
  expect(await sampleOf('fallback')).toMatchObject({ verdict: null, failure: 'assisted' })
  expect(await sampleOf('fine')).toMatchObject({ verdict: 'pass', failure: null })
})
