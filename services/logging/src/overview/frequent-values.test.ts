import { frequentValues } from './frequent-values.ts'

it('lists the most frequent values first, and no nulls', () => {
  expect(frequentValues(['b', null, 'a', 'c', 'b', null, 'c', 'b'], 10)).toEqual([
    { value: 'b', count: 3 },
    { value: 'c', count: 2 },
    { value: 'a', count: 1 },
  ])
})

it('orders equally frequent ones by name, and returns at most the limit', () => {
  expect(frequentValues(['z', 'y', 'x'], 2).map(({ value }) => value)).toEqual(['x', 'y'])
})
