import { ringArc, ringPoints } from './ring.ts'

it('places points clockwise from the top', () => {
  expect(ringPoints(4, 10)).toEqual([
    { x: 0, y: -10 },
    { x: 10, y: 0 },
    { x: 0, y: 10 },
    { x: -10, y: 0 },
  ])
})

it('draws the arc between two points', () => {
  expect(ringArc(0, 4, 10, 0)).toBe('M0 -10A10 10 0 0 1 10 0')
})
