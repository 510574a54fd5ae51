import { rate as text } from '../kit/numbers.ts'
import type { State } from '../kit/state-mark.tsx'

/** Lower and upper bound. */
export type Bounds = readonly [low: number, high: number]

/** What an interval picture shows. */
export interface IntervalFacts {
  /** What is measured, such as `TPR`. */
  readonly label: string
  /** Null when nothing is measured yet. */
  readonly rate: number | null
  readonly interval: Bounds | null
  readonly bar: number
  readonly state: State
  /** Where the interval will be if the next grades agree. */
  readonly forecast?: Bounds | undefined
  /** What people reach among themselves; null or absent when it is not known. */
  readonly ceiling?: number | null | undefined
}

const stateWords: Record<State, string> = {
  proven: 'proven',
  open: 'not proven yet',
  borderline: 'at the bar',
  wrong: 'below the bar',
  none: 'not measured',
}

/** The picture as a sentence. */
export function intervalSentence({ label, rate, interval, bar, state, forecast, ceiling }: IntervalFacts): string {
  if (rate === null || interval === null) return `${label} is not measured; the bar is ${text(bar)}.`
  const parts = [
    `${label} ${text(rate)}, 95 % interval from ${text(interval[0])} to ${text(interval[1])}`,
    `bar ${text(bar)}: ${stateWords[state]}`,
    ...(forecast ? [`expected from ${text(forecast[0])} to ${text(forecast[1])} if the next grades agree`] : []),
    ...(ceiling === null || ceiling === undefined ? [] : [`people agree at ${text(ceiling)}`]),
  ]
  return `${parts.join('; ')}.`
}
