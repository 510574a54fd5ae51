import type { FineTuningCheckpoint, FineTuningMetrics } from '@ratchet/contracts/fine-tuning-progress'
import type { LossPoint } from '../../../pictures/loss-sentence.ts'

type Values = FineTuningMetrics['values']

export interface LossPoints {
  readonly train: readonly LossPoint[]
  readonly valid: readonly LossPoint[]
}

/**
 * The losses of a job by step. Trainers report the loss of a validation with the figures of its step, or with the checkpoint that
 * they save after it. Steps without a finite loss are left out.
 */
export function lossPointsOf(
  metrics: readonly Pick<FineTuningMetrics, 'step' | 'values'>[],
  checkpoints: readonly Pick<FineTuningCheckpoint, 'step_number' | 'metrics'>[],
): LossPoints {
  const saved = checkpoints.map(({ step_number: step, metrics: values }) => ({ step, values }))
  return { train: pointsOf('train_loss', metrics), valid: pointsOf('valid_loss', [...saved, ...metrics]) }
}

function pointsOf(
  name: string,
  rows: readonly { readonly step: number; readonly values: Values }[],
): readonly LossPoint[] {
  const losses = new Map<number, number>()
  for (const { step, values } of rows) {
    const loss = values[name]
    if (typeof loss === 'number' && Number.isFinite(loss)) losses.set(step, loss)
  }
  return [...losses].map(([step, loss]) => ({ step, loss })).sort((one, other) => one.step - other.step)
}
