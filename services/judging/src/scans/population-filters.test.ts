import { outsidePopulation, populationFilters } from './population-filters.ts'

const everything = { population: '', populationFamily: '' }
const support = { population: 'support', populationFamily: 'seg-a' }

it('leaves filters alone where a judge looks at all traffic', () => {
  expect(populationFilters(everything, { tag: 'x', model: 'm' })).toEqual({ tag: 'x', model: 'm' })
})

it('keeps a judge inside its population', () => {
  expect(populationFilters(support, { model: 'm' })).toEqual({ model: 'm', tag: 'support', segment: 'seg-a' })
})

it.each([
  [everything, { tag: 'x', segment: 'y' }, null],
  [support, { tag: 'support', segment: 'seg-a' }, null],
  [support, { tag: 'sales' }, { field: 'tag', population: 'support' }],
  [support, { segment: 'seg-b' }, { field: 'segment', population: 'seg-a' }],
] as const)('of %j asked for %j says what lies outside', (scope, filters, outside) => {
  expect(outsidePopulation(scope, filters)).toEqual(outside)
})
