import { usualSettings, valuesOf } from './alias-values.ts'
import { disagreements, mergedValues } from './merge-values.ts'

const words = { judge: (id: string) => id, family: (segment: string) => segment }
const base = valuesOf({ ...usualSettings, name: 'support', target_model: 'sim/large', canary_percent: 10 })
const theirs = { ...base, canary_percent: 20, description: 'Theirs.' }
const mine = { ...base, canary_percent: '30', margin: 3 }

it('shows both versions of each setting that somebody changed, and who', () => {
  const found = disagreements({ base, theirs, mine }, words)
  expect(found.map(({ label, theirs: their, mine: own, by }) => [label, their, own, by])).toEqual([
    ['Description', 'Theirs.', 'none', 'them'],
    ['Share of the canary', '20 %', '30 %', 'both'],
    ['Margin', '5 points', '3 points', 'me'],
  ])
})

it('keeps what is typed and takes what others changed elsewhere', () => {
  expect(mergedValues({ base, theirs, mine }, words)).toEqual({ ...theirs, canary_percent: '30', margin: 3 })
})
