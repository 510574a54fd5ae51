import { buildReport } from './build-report.ts'
import { pairsOf, reportInput, samplesWith } from './measured-samples.fixture.ts'
import { segmentsOf } from './segments-of.ts'

/** Samples of segments with these counts. */
function samplesOf(segments: Readonly<Record<string, Parameters<typeof pairsOf>[0]>>) {
  const pairs = Object.entries(segments).flatMap(([segment, counts]) =>
    pairsOf(counts).map((pair) => ({ segment, pair })),
  )
  return samplesWith(
    pairs.map(({ pair }) => [pair]),
    (place) => ({ segment: pairs[place]?.segment ?? null }),
  )
}

describe('the segments of a report', () => {
  const hidden = samplesOf({
    support: { wins: 60, ties: 20, losses: 20 },
    translation: { wins: 5, ties: 5, losses: 40 },
    sql: { wins: 40, ties: 20, losses: 10 },
    rare: { losses: 4 },
  })

  it('show a segment that got worse although the mean is better, and warn of it', () => {
    const found = segmentsOf(hidden, 0)!
    expect(found.list.map(({ segment }) => segment)).toEqual(['support', 'sql', 'translation'])
    expect(found.other_samples).toBe(4)
    expect(found.heterogeneity_p).toBeLessThan(0.001)
    expect(found.list.map(({ is_worse }) => is_worse)).toEqual([false, false, true])
    expect(found.list[2]).toMatchObject({ samples: 50, losses: 40, difference: expect.closeTo(-0.7, 12) })
    // The estimate is between that of the segment and that of all.
    expect(found.list[2]!.shrunken).toBeGreaterThan(-0.7)
    const report = buildReport(reportInput(hidden))
    expect(report.candidates['openai/gpt-5-mini']!.win_rate).toBeGreaterThan(0.55)
    expect(report.warnings).toContainEqual(expect.stringContaining('worse in the segment translation'))
  })

  it('are null for one segment, small ones, or prompts without one', () => {
    expect(segmentsOf(samplesOf({ support: { wins: 100 }, rare: { losses: 9 } }), 0)).toBeNull()
    expect(segmentsOf(samplesWith(pairsOf({ wins: 50 }).map((pair) => [pair])), 0)).toBeNull()
  })

  it('call nothing worse while segments do not differ', () => {
    const alike = samplesOf({ a: { wins: 10, losses: 20 }, b: { wins: 20, losses: 40 } })
    expect(segmentsOf(alike, 0)!.list.map(({ is_worse }) => is_worse)).toEqual([false, false])
  })
})
