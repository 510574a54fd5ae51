import type { GateLook } from '@ratchet/contracts/session-aliases'
import { sequenceOf } from './sequence-points.ts'

const look = (epoch: number, scored: number, more: Partial<GateLook> = {}): GateLook => ({
  epoch,
  look: scored,
  at: '2026-11-24T00:00:00.000Z',
  state: 'healthy',
  scored: { target: scored / 2, canary: scored / 2 },
  difference: { estimate: -0.01, cs: [-0.1, 0.08] },
  graded_difference: null,
  margin: 0.05,
  guard: [],
  ...more,
})

it('counts answers on from one split to the next, and marks where one ended', () => {
  const { points, epochs } = sequenceOf([look(1, 100), look(1, 200), look(3, 50)])
  expect(points.map(({ scored, epoch }) => [scored, epoch])).toEqual([
    [100, 1],
    [200, 1],
    [250, 3],
  ])
  expect(epochs).toEqual([200])
})

it('leaves out evaluations that had too few answers, or no new ones', () => {
  const { points } = sequenceOf([look(1, 10, { difference: null }), look(1, 100), look(1, 100), look(1, 100)])
  expect(points).toHaveLength(1)
})

it('flags the evaluation that decided', () => {
  const { flags } = sequenceOf([look(1, 100), look(1, 200, { state: 'rolled_back' })])
  expect(flags).toEqual([{ scored: 200, text: 'rolled back', state: 'wrong' }])
})
