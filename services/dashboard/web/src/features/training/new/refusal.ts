import { TrainingDataReport } from '@ratchet/contracts/fine-tuning'
import { ApiError } from '../../../api/api-error.ts'
import { fieldAt, type Problems } from './job-values.ts'

/** What an error of the API says about one field of the form; nothing for other errors. */
export function problemsOf(error: Error | null): Problems {
  if (!(error instanceof ApiError) || error.param === null) return {}
  const field = fieldAt(error.param.split('.'))
  return field === null ? {} : { [field]: error.message }
}

/** The report of data that was refused; null for other errors. */
export function reportOf(error: Error | null): TrainingDataReport | null {
  if (!(error instanceof ApiError) || error.code !== 'invalid_training_data') return null
  return TrainingDataReport.safeParse(error.details).data ?? null
}
