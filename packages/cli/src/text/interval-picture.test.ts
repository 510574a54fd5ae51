import { intervalPicture } from './interval-picture.ts'

it.each([
  [0.7, [0.6, 0.8], '0                     │   ├───●───┤         1'],
  [0.5, [0.4, 0.6], '0                 ├───●───┤                 1'],
  [0.55, [0.4, 0.7], '0                 ├───┼─●─────┤             1'],
  [0, [0, 0], '0 ●                   │                     1'],
  [1, [1, 1], '0                     │                   ● 1'],
  [0.3, [-1, 2], '0 ├───────────●───────┼───────────────────┤ 1'],
] as const)('draws %d with %j', (rate, ends, picture) => {
  expect(intervalPicture(rate, ends)).toBe(picture)
})

it('has the same width, a point and a middle for all values', () => {
  for (let low = 0; low <= 1; low += 0.05) {
    for (let high = low; high <= 1; high += 0.05) {
      const picture = intervalPicture((low + high) / 2, [low, high])
      expect(picture).toMatch(/^0 [ ●├┤─┼│]{41} 1$/)
      expect(picture.split('●')).toHaveLength(2)
      expect(picture[22]).not.toBe('─')
    }
  }
})
