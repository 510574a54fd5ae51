import { outsidePopulation, populationFilters } from './population-filters.ts'

const everything = { population: '', populationFamily: '' }
const support = { population: 'support', populationFamily: 'seg-a' }

it('does not change filters for a judge of all traffic', () => {
  expect(populationFilters(everything, { tag: 'x', model: 'm' })).toEqual({ tag: 'x', model: 'm' })
})

it('adds the population of the judge', () => {
  expect(populationFilters(support, { model: 'm' })).toEqual({ model: 'm', tag: 'support', segment: 'seg-a' })
})

it.each([
  [everything, { tag: 'x', segment: 'y' }, null],
  [support, { tag: 'support', segment: 'seg-a' }, null],
  [support, { tag: 'sales' }, { field: 'tag', population: 'support' }],
  [support, { segment: 'seg-b' }, { field: 'segment', population: 'seg-a' }],
] as const)('for a judge of %j, the filters %j give the one outside of its population', (scope, filters, outside) => {
  expect(outsidePopulation(scope, filters)).toEqual(outside)
})
