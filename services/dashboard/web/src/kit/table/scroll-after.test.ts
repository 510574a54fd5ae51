import { rowHeight, scrollAfter } from './scroll-after.ts'

const held = (firstIndex: number, count: number) => ({ firstIndex, count })
const top = 3_000 * rowHeight

it('follows the row in sight when rows above it are forgotten or come back', () => {
  expect(scrollAfter(held(0, 5_000), held(100, 5_000), top)).toBe(2_900 * rowHeight)
  expect(scrollAfter(held(100, 5_000), held(0, 5_000), top)).toBe(3_100 * rowHeight)
})

it('stays when rows are added below, or one is deleted', () => {
  expect(scrollAfter(held(0, 3_000), held(0, 3_100), top)).toBeNull()
  expect(scrollAfter(held(0, 3_000), held(0, 2_999), top)).toBeNull()
})

it('begins at the first row of a list that was read anew', () => {
  expect(scrollAfter(held(0, 5_000), held(0, 100), top)).toBe(0)
  expect(scrollAfter(held(4_000, 5_000), held(0, 100), top)).toBe(0)
  expect(scrollAfter(held(0, 5_000), held(0, 100), 0)).toBeNull()
})
