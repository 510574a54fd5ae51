import type { LoggedRun } from '@ratchet/contracts/internal-logs'
import type { LogRow } from '@ratchet/contracts/logs'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { judgeWith, settingsWith } from '../aliases/alias.fixture.ts'
import { decideRun, isRunToBeScored, type RunDecision } from './run-rules.ts'

const since = new Date('2026-11-24T08:00:00Z')
const at = new Date('2026-11-24T12:00:00Z')
const settings = settingsWith({ sticky_by: 'trace', canary_percent: 50 })

/** A step that the canary answered. */
const step = (more: Partial<LogRow> = {}) =>
  ({
    id: 'log_1',
    created_at: '2026-11-24T11:00:00.000Z',
    alias: 'support',
    canary: true,
    served_model: 'sim/small',
    fallback_from: null,
    cached: false,
    tag: 'support',
    segment: 'seg-a',
    trace_id: 'run-1',
    ...more,
  }) as LogRow

function runWith(steps: readonly LogRow[], more: Partial<LoggedRun> = {}): LoggedRun {
  const times = { last_at: '2026-11-24T11:30:00.000Z', expires_at: '2026-12-24T00:00:00.000Z' }
  return { trace_id: 'run-1', completed: true, step_count: steps.length, steps: [...steps], ...times, ...more }
}

const decide = (run: LoggedRun | null, foundAt = new Date('2026-11-24T11:00:30Z')) =>
  decideRun(run, { settings, arm: 'canary', since, foundAt, at })
const fallback = { fallback_from: 'sim/small', served_model: 'sim/large' }
const open = { completed: false }

it.each<[string, LoggedRun | null, RunDecision]>([
  ['completed by one model', runWith([step(), step()]), 'judge'],
  ['with a step out of the cache of that model', runWith([step(), step({ cached: true })]), 'judge'],
  ['of which no step is left', null, 'gone'],
  ['that began before the split', runWith([step({ created_at: '2026-11-24T07:59:59.000Z' }), step()]), 'mixed'],
  ['with a step of the other arm', runWith([step(), step({ canary: false, served_model: 'sim/large' })]), 'mixed'],
  ['with a fallback', runWith([step(), step(fallback)]), 'assisted'],
  ['with a call that named no alias', runWith([step(), step({ alias: null, canary: false })]), 'assisted'],
  ['with a call of another alias', runWith([step(), step({ alias: 'other' })]), 'assisted'],
  ['with an earlier model of the arm', runWith([step(), step({ served_model: 'sim/tiny' })]), 'assisted'],
  ['that is mixed and open', runWith([step({ created_at: '2026-11-24T07:00:00.000Z' })], open), 'mixed'],
  ['that may continue', runWith([step()], open), 'wait'],
  [
    'that has been quiet for an hour',
    runWith([step()], { ...open, last_at: '2026-11-24T11:00:00.000Z' }),
    'unfinished',
  ],
  ['of too many steps', runWith([], { step_count: 501 }), 'unfinished'],
])('decides about a run %s', (_case, run, decision) => {
  expect(decide(run)).toBe(decision)
})

it('waits no longer than a day for a run that never ends', () => {
  const running = runWith([step()], { ...open, last_at: at.toISOString() })
  expect(decide(running, new Date(at.getTime() - 24 * hourMs + 1))).toBe('wait')
  expect(decide(running, new Date(at.getTime() - 24 * hourMs))).toBe('unfinished')
})

describe('a request brings its run into the gate', () => {
  const until = new Date('2026-11-25T08:00:00Z')
  const scores = (row: LogRow, judge = {}) => isRunToBeScored({ since, until, judge: judgeWith(judge), row })

  it('whatever answered it, because what an arm fails to answer must not leave the count', () => {
    expect([step(), step(fallback), step({ cached: true })].map((row) => scores(row))).toEqual([true, true, true])
  })

  it('in its window, with a trace id, in the population and the share of the judge', () => {
    expect(scores(step({ created_at: '2026-11-24T07:59:59.999Z' }))).toBe(false)
    expect(scores(step({ created_at: until.toISOString() }))).toBe(false)
    expect(scores(step({ trace_id: null }))).toBe(false)
    expect(scores(step(), { population: 'sales' })).toBe(false)
    expect(scores(step(), { populationFamily: 'seg-b' })).toBe(false)
    expect(scores(step(), { percent: 0 })).toBe(false)
  })

  it('or all requests of the run do', () => {
    const traces = Array.from({ length: 200 }, (_, index) => `run-${index}`)
    const chosen = traces.filter((trace_id) => scores(step({ trace_id }), { percent: 30 }))
    expect(chosen.length).toBeGreaterThan(30)
    expect(chosen.length).toBeLessThan(90)
    expect(chosen.every((trace_id) => scores(step({ trace_id, id: 'log_9' }), { percent: 30 }))).toBe(true)
  })
})
