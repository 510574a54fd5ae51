import { failingSegments, segmentFailShare } from './failing-segments.ts'

const row = (segment: string, judged: number, raw: number, corrected: number | null = null) => ({
  segment,
  judged,
  raw_pass_rate: raw,
  corrected_pass_rate: corrected,
  corrected_ci: null,
})

it('proposes segments in which more answers fail than elsewhere, the most first', () => {
  const rows = [
    row('greeter', 40, 0.7),
    row('support', 60, 0.6, 0.8),
    row('good', 90, 0.95),
    row('usual', 90, 0.83),
    row('tiny', 5, 0.1),
  ]
  expect(failingSegments({ raw_pass_rate: 0.85, by_segment: rows })).toEqual([
    { segment: 'greeter', failShare: expect.closeTo(0.3) },
    { segment: 'support', failShare: expect.closeTo(0.2) },
  ])
})

it('proposes nothing before a scan has judged', () => {
  expect(failingSegments({ raw_pass_rate: null, by_segment: [] })).toEqual([])
})

it('knows the share of a segment that was judged often enough', () => {
  const scan = { by_segment: [row('greeter', 40, 0.7), row('tiny', 5, 0.1)] }
  expect(segmentFailShare(scan, 'greeter')).toBeCloseTo(0.3)
  expect(segmentFailShare(scan, 'tiny')).toBeNull()
  expect(segmentFailShare(undefined, 'greeter')).toBeNull()
})
