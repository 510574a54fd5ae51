import { CERTIFYING_E_VALUE, eValueAboveBar } from '@ratchet/stats/e-value-above-bar'
import type { JudgeMeasures } from './calibration-result.ts'

/** Whether gates, rewards and evidence may act on a judge, and what is missing. */
export interface RightToAct {
  /** Null when they may. */
  readonly reason: string | null
  /** Evidence that the rate is above the bar, however often it was evaluated; null without grades of the class. */
  readonly eValueTpr: number | null
  readonly eValueTnr: number | null
  /** Further effective grades of each class that would be enough at the present rate; null when none, or not within reach. */
  readonly failGradesNeeded: number | null
  readonly passGradesNeeded: number | null
}

export const neededEValue = CERTIFYING_E_VALUE

type ActingMeasures = Pick<
  JudgeMeasures,
  'trust' | 'picked' | 'cut' | 'tpr' | 'tnr' | 'effectiveNFail' | 'effectiveNPass'
>

/**
 * `trust` is what the intervals prove at this evaluation. It is evaluated after every calibration, so a judge that is just at
 * the bar is trustworthy at some evaluation far too often. Whatever acts needs an e-value too, which is valid at any number of
 * evaluations.
 *
 * @param measures of the current calibration; null without one
 */
export function rightToAct(measures: ActingMeasures | null): RightToAct {
  if (measures === null) return { ...nothing, reason: 'it has no calibration' }
  const fails = sideOf(measures.tpr, measures.effectiveNFail)
  const passes = sideOf(measures.tnr, measures.effectiveNPass)
  return {
    reason: reasonOf(measures, [fails, passes]),
    eValueTpr: fails.eValue,
    eValueTnr: passes.eValue,
    failGradesNeeded: fails.needed,
    passGradesNeeded: passes.needed,
  }
}

const nothing = { eValueTpr: null, eValueTnr: null, failGradesNeeded: null, passGradesNeeded: null }

interface Side {
  readonly eValue: number | null
  readonly needed: number | null
}

function reasonOf({ trust, picked, cut = 0 }: ActingMeasures, sides: readonly Side[]): string | null {
  if (picked === undefined) return 'it was calibrated by an earlier release; calibrate it again'
  if (picked > 0) return 'its calibration includes grades of items that people picked'
  if (cut > 0) return 'its calibration counts only a chosen part of the grades of a draw'
  if (trust !== 'trustworthy') return `it is ${trust}, not trustworthy`
  if (sides.every(({ eValue }) => eValue !== null && eValue >= neededEValue)) return null
  return 'its grades do not prove yet, over any number of calibrations, that both rates reach the bar'
}

/** Beyond this the number means nothing to a reader, and JSON has no infinity. */
const maxEValue = 1_000_000

function sideOf(rate: number | null, trials: number): Side {
  if (rate === null) return { eValue: null, needed: null }
  const eValue = eValueOf(rate, trials)
  return { eValue: Math.min(maxEValue, eValue), needed: eValue >= neededEValue ? null : gradesNeeded(rate, trials) }
}

/** Whether so many grades of one class are enough to act, besides trust. */
export function provesToAct(rate: number, trials: number): boolean {
  return eValueOf(rate, trials) >= neededEValue
}

/** Effective grades are rounded down, so that they prove less rather than more. */
function eValueOf(rate: number, trials: number): number {
  const whole = Math.floor(trials + rounding)
  return eValueAboveBar(Math.min(whole, Math.floor(rate * trials + rounding)), whole)
}

/** Larger than errors of floating point, smaller than any grade. */
const rounding = 1e-9
const maxExtraGrades = 1_000

function gradesNeeded(rate: number, trials: number): number | null {
  if (eValueOf(rate, trials + maxExtraGrades) < neededEValue) return null
  let [low, high] = [0, maxExtraGrades]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (eValueOf(rate, trials + middle) >= neededEValue) high = middle
    else low = middle
  }
  return high
}
