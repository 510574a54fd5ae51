import type { LogRow } from '@ratchet/contracts/logs'
import fc from 'fast-check'
import { isPaused, type OnlineCriterion, watches } from './online-criterion.ts'

const criterion: OnlineCriterion = {
  id: '00000000-0000-7000-8000-0000000000c1',
  workspaceId: '00000000-0000-7000-8000-0000000000aa',
  createdBy: '00000000-0000-7000-8000-0000000000bb',
  instrument: 1,
  population: '',
  populationFamily: '',
  onlinePercent: 100,
  capNano: 0n,
  spentNano: 0n,
}
const row = { id: 'log_1', tag: 'support', segment: 'seg-a', cached: false } as LogRow

it.each([
  [{}, {}, true],
  [{}, { cached: true }, false],
  [{ population: 'support' }, {}, true],
  [{ population: 'sales' }, {}, false],
  [{ population: 'support' }, { tag: null }, false],
  [{ populationFamily: 'seg-a' }, {}, true],
  [{ populationFamily: 'seg-b' }, {}, false],
  [{ onlinePercent: 0 }, {}, false],
])('a judge of %j monitors traffic with %j: %s', (scope, exchange, expected) => {
  expect(watches({ ...criterion, ...scope }, { ...row, ...exchange })).toBe(expected)
})

it('still chooses the same exchanges when the percentage is raised', () => {
  const percent = fc.integer({ min: 0, max: 100 })
  fc.assert(
    fc.property(fc.uuid(), percent, percent, (id, one, other) => {
      const at = (onlinePercent: number) => watches({ ...criterion, onlinePercent }, { ...row, id })
      if (at(Math.min(one, other))) expect(at(Math.max(one, other))).toBe(true)
    }),
  )
})

it('chooses about the given percentage', () => {
  const chosen = Array.from({ length: 10_000 }, (_, index) =>
    watches({ ...criterion, onlinePercent: 20 }, { ...row, id: `log_${index}` }),
  ).filter(Boolean)
  // 2,000 are expected; 5 standard deviations of 40 either way.
  expect(Math.abs(chosen.length - 2_000)).toBeLessThan(200)
})

it.each([
  [0n, 5n, false],
  [10n, 9n, false],
  [10n, 10n, true],
])('with a cap of %s and %s spent is paused: %s', (capNano, spentNano, paused) => {
  expect(isPaused({ capNano, spentNano })).toBe(paused)
})
