import { falsePassBound } from './false-pass-bound.ts'

it('bounds the false passes of what people graded', () => {
  const bounds = [0, 1, 2, 3].map((failed) => falsePassBound(failed, 30))
  for (const [index, bound] of [0.095, 0.149, 0.195, 0.239].entries()) expect(bounds[index]).toBeCloseTo(bound, 3)
  expect(falsePassBound(0, 0)).toBeNull()
})
