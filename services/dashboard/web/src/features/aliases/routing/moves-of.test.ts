import { movesOf } from './moves-of.ts'

const split = { target_model: 'a', canary_model: 'b', canary_percent: 10, family_rules: [] }

it('needs evidence for a model that may get all requests, and not for the way back', () => {
  expect(movesOf(split, { ...split, canary_percent: 50 })).toEqual([])
  expect(movesOf(split, { ...split, canary_percent: 100 })).toEqual([{ from: 'a', to: 'b' }])
  expect(movesOf(split, { ...split, target_model: 'c' })).toEqual([{ from: 'a', to: 'c' }])
  expect(movesOf({ ...split, canary_percent: 100 }, split)).toEqual([])
  const ruled = { ...split, family_rules: [{ segment: 'none', model: 'b' }] }
  expect(movesOf(split, ruled)).toEqual([{ from: 'a', to: 'b' }])
})
