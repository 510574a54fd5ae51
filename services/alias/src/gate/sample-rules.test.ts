import type { LogRow } from '@ratchet/contracts/logs'
import fc from 'fast-check'
import { judgeWith, settingsWith } from '../aliases/alias.fixture.ts'
import { armOf, clusterOf, isToBeMirrored, isToBeScored, mayBeMixed } from './sample-rules.ts'

const since = new Date('2026-11-22T00:00:00Z')
const until = new Date('2026-11-25T00:00:00Z')
const row = {
  id: 'log_1',
  created_at: '2026-11-22T01:00:00.000Z',
  tag: 'support',
  segment: 'seg-a',
  cached: false,
  fallback_from: null,
  canary: false,
  served_model: 'sim/large',
  trace_id: 'run-1',
} as LogRow
const ofCanary = { canary: true, served_model: 'sim/small' }

it.each<[Partial<LogRow>, string | null]>([
  [{}, 'target'],
  [ofCanary, 'canary'],
  [{ ...ofCanary, cached: true }, null],
  [{ fallback_from: 'sim/large', served_model: 'sim/medium' }, null],
  [{ served_model: 'sim/medium' }, null],
  [{ canary: true }, null],
])('an answer with %j is of the arm %s', (more, arm) => {
  expect(armOf(settingsWith(), { ...row, ...more })).toBe(arm)
})

it.each([
  [{}, {}, true],
  [{ population: 'support' }, {}, true],
  [{ population: 'sales' }, {}, false],
  [{ populationFamily: 'seg-b' }, {}, false],
  [{ percent: 0 }, {}, false],
  [{}, { created_at: '2026-11-21T23:59:59.999Z' }, false],
  [{}, { created_at: '2026-11-25T00:00:00.000Z' }, false],
])('a judge with %j scores an answer with %j: %s', (of, more, isScored) => {
  const judge = judgeWith(of)
  expect(isToBeScored({ settings: settingsWith(), since, until, judge, row: { ...row, ...more } })).toBe(isScored)
})

it('chooses by the id alone, independent of the arm', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.integer({ min: 0, max: 100 }), (id, percent) => {
      const judge = judgeWith({ percent })
      const chosen = (more: Partial<LogRow>) =>
        isToBeScored({ settings: settingsWith(), since, until, judge, row: { ...row, id, ...more } })
      expect(chosen({})).toBe(chosen(ofCanary))
    }),
  )
})

const answered = { role: 'assistant', content: 'Hello.' }

it('a conversation is mixed when the other arm may have answered an earlier turn', () => {
  const first = { trace_id: 'run-1', messages: [{ role: 'user', content: 'Hi.' }] }
  const later = { trace_id: 'run-1', messages: [...first.messages, answered] }
  expect(mayBeMixed({ sticky_by: 'request' }, first)).toBe(false)
  expect(mayBeMixed({ sticky_by: 'request' }, later)).toBe(true)
  expect(mayBeMixed({ sticky_by: 'trace' }, later)).toBe(false)
  expect(mayBeMixed({ sticky_by: 'trace' }, { ...later, trace_id: null })).toBe(true)
})

it('answers of a trace are one cluster with sticky_by trace', () => {
  expect(clusterOf({ sticky_by: 'trace' }, row)).toBe('run-1')
  expect(clusterOf({ sticky_by: 'request' }, row)).toBeNull()
})

it('mirrors a share of the requests that neither cache nor fallback answered', () => {
  const mirrored = settingsWith({ shadow_model: 'sim/medium', shadow_percent: 100 })
  expect(isToBeMirrored(mirrored, row)).toBe(true)
  expect(isToBeMirrored(mirrored, { ...row, cached: true })).toBe(false)
  expect(isToBeMirrored(mirrored, { ...row, fallback_from: 'sim/large' })).toBe(false)
  expect(isToBeMirrored(settingsWith({ shadow_percent: 0 }), row)).toBe(false)
  const ids = Array.from({ length: 10_000 }, (_, index) => `log_${index}`)
  const share = ids.filter((id) => isToBeMirrored({ ...mirrored, shadow_percent: 20 }, { ...row, id })).length
  // 2,000 are expected; 5 standard deviations of 40 either way.
  expect(Math.abs(share - 2_000)).toBeLessThan(200)
})
