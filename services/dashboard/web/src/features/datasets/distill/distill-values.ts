import type { DistillDataset } from '@ratchet/contracts/dataset-distill'

/** What a person has chosen for a dataset of a teacher's answers. */
export interface DistillValues {
  readonly name: string
  readonly teacher: string
  /** Where its prompts come from. */
  readonly from: 'dataset' | 'log'
  readonly datasetId: string
  /** Of requests of the log; empty: all of them. */
  readonly tag: string
  readonly samples: number
  readonly criterionId: string
  readonly maxCostUsd: string
  /** Whether the terms of the teacher's provider were read. */
  readonly acknowledges: boolean
}

export const newDistillValues: DistillValues = {
  name: '',
  teacher: '',
  from: 'dataset',
  datasetId: '',
  tag: '',
  samples: 1,
  criterionId: '',
  maxCostUsd: '',
  acknowledges: false,
}

type Body = Partial<DistillDataset> & Pick<DistillDataset, 'name' | 'teacher_model' | 'max_cost_usd'>

/** The body that starts it. Call it when nothing is missing. */
export function bodyOf(values: DistillValues): Body {
  const { name, teacher, from, datasetId, tag, samples, criterionId, maxCostUsd, acknowledges } = values
  const filters = tag.trim() === '' ? {} : { tag: tag.trim() }
  return {
    name: name.trim(),
    teacher_model: teacher,
    ...(from === 'dataset' ? { dataset_id: datasetId } : { filters }),
    samples_per_prompt: samples,
    ...(criterionId === '' ? {} : { criterion_id: criterionId }),
    max_cost_usd: Number(maxCostUsd),
    ...(acknowledges ? { acknowledge_terms: true } : {}),
  }
}

/**
 * The first thing that is missing, in words; null when nothing is.
 *
 * @param needsTerms whether the terms of the teacher's provider have to be acknowledged
 */
export function missingText(values: DistillValues, needsTerms: boolean): string | null {
  if (values.teacher === '') return 'Choose a teacher.'
  if (needsTerms && !values.acknowledges) return 'Read the terms of its provider.'
  if (values.from === 'dataset' && values.datasetId === '') return 'Choose a dataset.'
  if (values.name.trim() === '') return 'Give it a name.'
  return Number(values.maxCostUsd) > 0 ? null : 'Say how much it may cost.'
}
