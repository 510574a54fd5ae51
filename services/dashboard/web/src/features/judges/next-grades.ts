import { Z_95 } from '@ratchet/stats/interval'
import { wilsonEquivalent } from '@ratchet/stats/wilson-equivalent'
import { wilsonInterval } from '@ratchet/stats/wilson-interval'
import type { Bounds } from '../../pictures/interval-sentence.ts'

/** Further grades of one side that the picture of a judge looks ahead to. */
const nextGrades = 20

/** Where an interval will be if the next 20 grades of its side agree with the judge; undefined before it is measured. */
export function boundsIfTheyAgree(rate: number | null, interval: Bounds | null): Bounds | undefined {
  if (rate === null || interval === null) return undefined
  const [low, high] = interval
  const evidence = { rate, interval: { low, high }, z: Z_95 }
  const { effectiveTrials, effectiveSuccesses } = wilsonEquivalent(evidence, Number.MAX_SAFE_INTEGER)
  const next = wilsonInterval(effectiveSuccesses + nextGrades, effectiveTrials + nextGrades)
  return next === null ? undefined : [next.low, next.high]
}
