import type { Scan } from '@ratchet/contracts/scans'

export interface FailingSegment {
  readonly segment: string
  /** Share of its answers that fail: corrected for the errors of the judge where that is known. */
  readonly failShare: number
}

/** A rate of fewer verdicts says little. */
const fewVerdicts = 20
/** A difference of less is hardly more than chance. */
const clearDifference = 0.05
const maxProposed = 3

/** The segments in which clearly more answers fail than in all traffic together, the most first. */
export function failingSegments(scan: Pick<Scan, 'raw_pass_rate' | 'by_segment'>): readonly FailingSegment[] {
  const { raw_pass_rate: rate, by_segment: segments } = scan
  if (rate === null) return []
  return segments
    .filter(({ judged, raw_pass_rate: own }) => judged >= fewVerdicts && own < rate - clearDifference)
    .map(({ segment, raw_pass_rate: raw, corrected_pass_rate: corrected }) => ({
      segment,
      failShare: 1 - (corrected ?? raw),
    }))
    .sort((a, b) => b.failShare - a.failShare)
    .slice(0, maxProposed)
}

/** The share of the answers of a segment that fail; null when the scan judged few of them. */
export function segmentFailShare(scan: Pick<Scan, 'by_segment'> | undefined, segment: string): number | null {
  const found = scan?.by_segment.find((each) => each.segment === segment)
  return found === undefined || found.judged < fewVerdicts ? null : 1 - found.raw_pass_rate
}
