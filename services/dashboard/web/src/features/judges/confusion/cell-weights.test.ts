import { cellWeight } from './cell-weights.ts'

it.each([
  [[], 0, 0],
  [[{ weight: 2 }, { weight: 4 }], 2, 6],
  [[{ weight: 2 }, { weight: 4 }], 10, 30],
])('rows %j of %i weigh %i', (rows, total, weight) => {
  expect(cellWeight(rows, total)).toBe(weight)
})
