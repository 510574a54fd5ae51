import type { Criterion } from '@ratchet/contracts/criteria'
import type { Scan } from '@ratchet/contracts/scans'

/** What one judge knows about the pass rate of a segment. */
export interface SegmentRate {
  readonly judge: Pick<Criterion, 'id' | 'name'>
  /** Corrected for the errors of the judge. */
  readonly rate: number
  readonly interval: readonly [number, number]
  /** Exchanges of the segment that the scan judged. */
  readonly judged: number
  readonly at: string
}

export interface SegmentEvidence {
  /** The rate with the narrowest interval first. */
  readonly rates: readonly SegmentRate[]
  /** What is missing for a rate, when there is none. */
  readonly missing: string | null
}

type Judge = Pick<Criterion, 'id' | 'name' | 'status' | 'unit' | 'trust' | 'population_family'>
type ScanRates = Pick<Scan, 'criterion_id' | 'by_segment' | 'finished_at'>

/**
 * The corrected pass rates of a segment, by judge. A rate that is not corrected for the errors of its judge is no evidence, and
 * is left out.
 *
 * @param judges all of the workspace
 * @param scans the newest one of each judge
 */
export function segmentEvidence(
  segment: string,
  judges: readonly Judge[],
  scans: readonly ScanRates[],
): SegmentEvidence {
  const inUse = judges.filter(({ status, unit }) => status !== 'retired' && unit === 'request')
  const applying = inUse.filter(({ population_family: family }) => family === '' || family === segment)
  const found = scans.flatMap((scan) => {
    const judge = applying.find(({ id }) => id === scan.criterion_id)
    const row = scan.by_segment.find((each) => each.segment === segment)
    return judge === undefined || row === undefined ? [] : [{ judge, row, at: scan.finished_at ?? '' }]
  })
  const rates = found.flatMap(({ judge, row, at }): SegmentRate[] => {
    const { corrected_pass_rate: rate, corrected_ci: interval, judged } = row
    return rate === null || interval === null ? [] : [{ judge, rate, interval, judged, at }]
  })
  const missing =
    rates.length > 0
      ? null
      : missingOf(
          applying,
          scans,
          found.map(({ judge }) => judge),
        )
  return { rates: rates.toSorted((one, other) => widthOf(one) - widthOf(other)), missing }
}

function missingOf(judges: readonly Judge[], scans: readonly ScanRates[], found: readonly Judge[]): string {
  const [uncorrected] = found
  if (uncorrected !== undefined) {
    const isMeasured = uncorrected.trust !== 'unmeasured'
    return isMeasured ? `more grades for ${uncorrected.name}` : `a calibration of ${uncorrected.name}`
  }
  const [judge] = judges
  if (judge === undefined) return 'a judge'
  const scanned = judges.find(({ id }) => scans.some((scan) => scan.criterion_id === id))
  return scanned === undefined ? `a scan by ${judge.name}` : `a larger scan by ${scanned.name}`
}

function widthOf({ interval: [low, high] }: SegmentRate): number {
  return high - low
}
