import { CERTIFYING_E_VALUE, eValueAboveBar } from '@ratchet/stats/e-value-above-bar'
import type { JudgeMeasures } from './calibration-result.ts'

/** Whether gates, rewards and evidence may act on a judge, and what is missing. */
export interface RightToAct {
  /** Null when they may. */
  readonly reason: string | null
  /**
   * Evidence that the rate is above the bar, however often it was evaluated, at most 1,000,000; null without grades of the
   * class.
   */
  readonly eValueTpr: number | null
  readonly eValueTnr: number | null
  /** What both of them must reach. It may be more than the largest that is shown. */
  readonly neededEValue: number
  readonly isProvenTpr: boolean
  readonly isProvenTnr: boolean
  /** Further effective grades of each class that would be enough at the present rate; null when none, or not within reach. */
  readonly failGradesNeeded: number | null
  readonly passGradesNeeded: number | null
}

/**
 * The e-value with which a judge may act. A copy of a judge could be graded anew until it passes, so each copy needs a larger
 * one: 40, 80, 240, 480 …. Their inverses add up to at most twice that of the first, so all copies together certify a wrong
 * rate with a probability of at most 0.05, however many there are. Copies are judges of one workspace with the same text of the
 * prompt and the same name of the model: one other word, or another name of the same model, makes no copy.
 * In one judge it does, because a prompt that is changed after a look at the grades has another chance on the same ones.
 *
 * @param copies number of such judges and prompts that were calibrated before
 */
export function neededEValueOf(copies: number): number {
  return CERTIFYING_E_VALUE * (copies === 0 ? 1 : copies * (copies + 1))
}

type ActingMeasures = Pick<
  JudgeMeasures,
  'trust' | 'picked' | 'cut' | 'copies' | 'tpr' | 'tnr' | 'effectiveNFail' | 'effectiveNPass'
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
  const neededEValue = neededEValueOf(measures.copies ?? 0)
  const fails = sideOf(measures.tpr, { trials: measures.effectiveNFail, neededEValue })
  const passes = sideOf(measures.tnr, { trials: measures.effectiveNPass, neededEValue })
  return {
    reason: reasonOf(measures, [fails, passes]),
    neededEValue,
    eValueTpr: fails.eValue,
    eValueTnr: passes.eValue,
    isProvenTpr: fails.isProven,
    isProvenTnr: passes.isProven,
    failGradesNeeded: fails.needed,
    passGradesNeeded: passes.needed,
  }
}

const nothing = {
  eValueTpr: null,
  eValueTnr: null,
  neededEValue: CERTIFYING_E_VALUE,
  isProvenTpr: false,
  isProvenTnr: false,
  failGradesNeeded: null,
  passGradesNeeded: null,
}

interface Side {
  readonly eValue: number | null
  readonly needed: number | null
  readonly isProven: boolean
}

/** The grades of one class, and what they must prove. */
interface ClassProof {
  /** Effective grades. */
  readonly trials: number
  readonly neededEValue: number
}

function reasonOf({ trust, picked, cut = 0 }: ActingMeasures, sides: readonly Side[]): string | null {
  if (picked === undefined) return 'it was calibrated by an earlier release; calibrate it again'
  if (picked > 0) return 'its calibration includes grades of items that people picked'
  if (cut > 0) return 'its calibration counts only a chosen part of the grades of a draw'
  if (trust !== 'trustworthy') return `it is ${trust}, not trustworthy`
  if (sides.every(({ isProven }) => isProven)) return null
  return 'its grades do not prove yet, over any number of calibrations, that both rates reach the bar'
}

/** Grades of one class with which a judge without any error could act. */
export function fewestGradesToAct(copies = 0): number {
  return gradesNeeded(1, { trials: 0, neededEValue: neededEValueOf(copies) }) ?? maxExtraGrades
}

/** Beyond this the number means nothing to a reader, and JSON has no infinity. */
const maxEValue = 1_000_000

function sideOf(rate: number | null, proof: ClassProof): Side {
  if (rate === null) return { eValue: null, needed: null, isProven: false }
  const eValue = Math.min(maxEValue, eValueOf(rate, proof.trials))
  const isProven = provesToAct(rate, proof)
  return { eValue, needed: isProven ? null : gradesNeeded(rate, proof), isProven }
}

/** Whether so many grades of one class are enough to act, besides trust. */
export function provesToAct(rate: number, { trials, neededEValue }: ClassProof): boolean {
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

function gradesNeeded(rate: number, { trials, neededEValue }: ClassProof): number | null {
  if (eValueOf(rate, trials + maxExtraGrades) < neededEValue) return null
  let [low, high] = [0, maxExtraGrades]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (eValueOf(rate, trials + middle) >= neededEValue) high = middle
    else low = middle
  }
  return high
}
