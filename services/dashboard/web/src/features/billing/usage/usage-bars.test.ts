import { type UsageDay, usageBars } from './usage-bars.ts'

const days: readonly UsageDay[] = [
  { day: '2026-11-01', kind: 'group', group: 'a', cost_nano: '5' },
  { day: '2026-11-01', kind: 'others', group: null, cost_nano: '2' },
  { day: '2026-11-24', kind: 'group', group: null, cost_nano: '9007199254740993' },
  { day: '2026-11-25', kind: 'group', group: 'a', cost_nano: '1' },
  { day: '2026-11-25', kind: 'unattributed', group: null, cost_nano: '4' },
]
const nameOf = (group: string | null) => group ?? 'without'

it('divides each week by group, with the others and the unattributed rest at the end, to the last digit', () => {
  const { bars, series } = usageBars(days, { groupBy: 'tag', unit: 'week', allDays: [], nameOf })
  expect(series.map(({ label }) => label)).toEqual(['without', 'a', 'others', 'unattributed'])
  expect(bars).toEqual([
    { label: '2026-10-26', amounts: { 'group:': '0', 'group:a': '5', others: '2', unattributed: '0' } },
    { label: '2026-11-23', amounts: { 'group:': '9007199254740993', 'group:a': '1', others: '0', unattributed: '4' } },
  ])
})

it('has one series and the rest by day', () => {
  const { bars, series } = usageBars(days, { groupBy: 'day', unit: 'month', allDays: ['2026-10-31'], nameOf })
  expect(series.map(({ name }) => name)).toEqual(['attributed', 'unattributed'])
  expect(bars).toEqual([
    { label: '2026-10', amounts: { attributed: '0', unattributed: '0' } },
    { label: '2026-11', amounts: { attributed: '9007199254741001', unattributed: '4' } },
  ])
})

it('draws the unattributed rest also when nothing was charged', () => {
  expect(usageBars([], { groupBy: 'model', unit: 'day', allDays: [], nameOf })).toEqual({
    bars: [],
    series: [{ name: 'unattributed', label: 'unattributed' }],
  })
})
