import { count } from '../kit/numbers.ts'

export interface LossPoint {
  readonly step: number
  readonly loss: number
}

export interface LossFacts {
  /** By step, in ascending order. */
  readonly train: readonly LossPoint[]
  /** On examples that are not trained on; the same. */
  readonly valid: readonly LossPoint[]
  /** Null while it is not known. */
  readonly totalSteps: number | null
}

/** A loss with as many digits as matter. */
export function lossText(loss: number): string {
  return Math.abs(loss) >= 100 ? loss.toFixed(0) : loss.toFixed(3)
}

/** The picture as a sentence. */
export function lossSentence({ train, valid, totalSteps }: LossFacts): string {
  const parts = [partOf('training', train), partOf('validation', valid)].filter((part) => part !== null)
  if (parts.length === 0) return 'No loss was measured yet.'
  const last = Math.max(train.at(-1)?.step ?? 0, valid.at(-1)?.step ?? 0)
  const steps = totalSteps === null ? `${count(last)} steps` : `${count(last)} of ${count(totalSteps)} steps`
  return `Loss over ${steps}: ${parts.join('; ')}.`
}

function partOf(name: string, points: readonly LossPoint[]): string | null {
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined) return null
  if (points.length === 1) return `${name} ${lossText(last.loss)} at step ${count(last.step)}`
  const lowest = points.reduce((least, point) => (point.loss < least.loss ? point : least))
  return `${name} from ${lossText(first.loss)} to ${lossText(last.loss)}, lowest ${lossText(lowest.loss)} at step ${count(lowest.step)}`
}
