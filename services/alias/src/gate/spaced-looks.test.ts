import { spacedLooks } from './spaced-looks.ts'

it('names all while they are few', () => {
  expect(spacedLooks({ first: 3, last: 6 }, 300)).toEqual([3, 4, 5, 6])
  expect(spacedLooks({ first: 1, last: 1 }, 300)).toEqual([1])
})

it.each([301, 5_000, 777_600])(
  'of %d names the first and the last, dense at first, then at growing distances',
  (size) => {
    const found = spacedLooks({ first: 11, last: size + 10 }, 300)
    expect(found.length).toBeLessThanOrEqual(300)
    expect(found.length).toBeGreaterThan(140)
    expect([found[0], found.at(-1)]).toEqual([11, size + 10])
    const distances = found.slice(1).map((each, index) => each - (found[index] ?? 0))
    expect(Math.min(...distances)).toBe(1)
    expect(distances.at(-1)).toBe(Math.max(...distances))
  },
)
