import type { EvalQuestion } from '@ratchet/contracts/eval-question'
import { asymptoticMargin } from '@ratchet/stats/asymptotic-confidence-sequence'
import { Z_95 } from '@ratchet/stats/interval'
import { samplesToExcludeHalf } from '@ratchet/stats/samples-to-exclude-half'
import { firstWholeNumber } from '@ratchet/stats/special/first-whole-number'

/** What is to be proven, and what is expected. */
export interface PlannedQuestion {
  readonly question: EvalQuestion
  readonly margin: number | null
  /** Ties count half. */
  readonly winRate: number
  readonly tieRate: number
  /** Candidates share the error rate of a sequence. */
  readonly candidates: number
}

/** Critical value for a power of 80 %. */
const zPower = 0.8416212335729143
/** More than an eval ever has; a sequence that needs more is not planned. */
const maxPlanned = 1_000_000

/** Distance between the expected difference and the one that is to be excluded, wins minus losses; 0 proves nothing. */
function distanceOf({ question, margin, winRate }: PlannedQuestion): number {
  const difference = 2 * winRate - 1
  return question === 'not_worse' ? difference + (margin ?? 0) : difference
}

/**
 * Judged samples after which a fixed-size eval answers its question with a probability of 80 %. Ties vary less than wins and
 * losses, so fewer samples are needed with many of them.
 *
 * @returns null when no number of samples proves it
 */
export function samplesForQuestion(planned: PlannedQuestion): number | null {
  const distance = distanceOf(planned)
  if (planned.question === 'not_worse' && distance <= 0) return null
  // The interval is that of a test, whose variance is the one at the difference to exclude.
  const atBar = { ...planned, winRate: planned.question === 'not_worse' ? (1 - (planned.margin ?? 0)) / 2 : 0.5 }
  const z = Z_95 * Math.sqrt(varianceOf(atBar)) + zPower * Math.sqrt(varianceOf(planned))
  const needed = samplesToExcludeHalf((1 + Math.min(1, Math.abs(distance))) / 2, z)
  return needed === null ? null : Math.max(minVerdictSamples, needed)
}

/** Fewer samples give no verdict. */
const minVerdictSamples = 20

/** Variance of a sample's result: 1 for a win, −1 for a loss, 0 for a tie. */
function varianceOf({ winRate, tieRate }: PlannedQuestion): number {
  return Math.max(0.01, 1 - tieRate - (2 * winRate - 1) ** 2)
}

/**
 * Samples after which the confidence sequence of a sequential eval answers its question, if the expectation is exactly met.
 *
 * @returns null when no number of samples proves it
 */
export function sequentialSamples(planned: PlannedQuestion, tightestAt: number): number | null {
  const distance = distanceOf(planned)
  if (distance === 0 || (planned.question === 'not_worse' && distance < 0)) return null
  const variance = varianceOf(planned)
  const proves = (n: number) =>
    asymptoticMargin({ variance: (n * variance + 2) / (n + 2), n }, { alpha: 0.05 / planned.candidates, tightestAt }) <
    Math.abs(distance)
  if (!proves(maxPlanned)) return null
  return Math.max(50, firstWholeNumber({ above: 1, to: maxPlanned }, proves))
}
