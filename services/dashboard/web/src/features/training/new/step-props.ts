import type { TrainableModel } from '@ratchet/contracts/fine-tuning-models'
import type { JobValues, Problems } from './job-values.ts'

/** What every part of a new job gets. */
export interface StepProps {
  readonly values: JobValues
  readonly change: (changed: Partial<JobValues>) => void
  readonly problems: Problems
  /** The chosen model; null when none is. */
  readonly model: TrainableModel | null
}
