import type { State } from '../kit/state-mark.tsx'

export interface CanaryPoint {
  /** Answers scored up to here. */
  readonly scored: number
  /** Number of the split: the band has a gap between two. */
  readonly epoch?: number
  /** Canary minus target, as a share. */
  readonly difference: number
  readonly low: number
  readonly high: number
}

/** A decision of the gate. */
export interface CanaryFlag {
  readonly scored: number
  readonly text: string
  readonly state: State
}

export interface CanaryFacts {
  readonly looks: readonly CanaryPoint[]
  /** The loss that is allowed, as a share. */
  readonly margin: number
  /** 0..1, at all evaluations together. */
  readonly confidence?: number
  /** What the gate says, in words. */
  readonly verdict: string
  /** When a decision is expected, in words. */
  readonly expected?: string | undefined
}

/** A share as points of per cent with a sign. */
export function points(share: number): string {
  const value = Math.round(share * 1_000) / 10
  if (value === 0) return '0'
  return `${value > 0 ? '+' : '−'}${Math.abs(value).toFixed(1)}`
}

/** The picture as a sentence. */
export function canarySentence({ looks, margin, confidence = 0.95, verdict, expected }: CanaryFacts): string {
  const last = looks.at(-1)
  if (last === undefined) return 'No answer of the canary counts yet: too few are scored.'
  const sure = `${Number((confidence * 100).toFixed(2))} %`
  const difference = `canary ${points(last.difference)} points, ${sure} from ${points(last.low)} to ${points(last.high)} at every evaluation`
  const tail = expected === undefined ? '' : `; decision expected ${expected}`
  return `${difference}; margin ${points(margin).replace('+', '')}; ${verdict}${tail}.`
}
