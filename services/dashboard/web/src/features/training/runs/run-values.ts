/** What a person has chosen for a run whose reward is one judge. */
export interface RunValues {
  readonly name: string
  /** This, or the version whose training goes on. */
  readonly baseModel: string
  readonly warmStartFrom: string
  readonly datasetId: string
  readonly criterionId: string
  readonly holdoutCriterionId: string
  readonly holdoutModel: string
  readonly maxSteps: number
  readonly promptsPerStep: number
  readonly groupSize: number
  readonly maxCostUsd: string
}

export const newRunValues: RunValues = {
  name: '',
  baseModel: '',
  warmStartFrom: '',
  datasetId: '',
  criterionId: '',
  holdoutCriterionId: '',
  holdoutModel: '',
  maxSteps: 200,
  promptsPerStep: 16,
  groupSize: 8,
  maxCostUsd: '',
}

/** The body that estimates a run; null while something is missing. The name costs nothing, so it is not part of it. */
export function pricedOf(values: RunValues) {
  if (missingText(values) !== null) return null
  const { baseModel, warmStartFrom, datasetId, criterionId, maxSteps, promptsPerStep, groupSize } = values
  return {
    ...(warmStartFrom === '' ? { baseModel } : { warmStartFrom }),
    datasetId,
    reward: { criteria: [{ criterionId }] },
    holdout: holdoutOf(values),
    hyperparameters: { maxSteps, promptsPerStep, groupSize },
    maxCostUsd: Number(values.maxCostUsd),
  }
}

/** The body that starts a run; null while something is missing. */
export function bodyOf(values: RunValues) {
  const priced = pricedOf(values)
  const name = values.name.trim()
  return priced === null || name === '' ? priced : { ...priced, name }
}

/** The hold-out judge: one of the judges, or another model that judges by the criterion of the reward. */
function holdoutOf({ holdoutCriterionId, holdoutModel }: RunValues) {
  if (holdoutCriterionId !== '') return { criterionId: holdoutCriterionId }
  return holdoutModel.trim() === '' ? {} : { judgeModel: holdoutModel.trim() }
}

/** The first thing that is missing, in words; null when nothing is. */
export function missingText(values: RunValues): string | null {
  if (values.baseModel === '' && values.warmStartFrom === '') return 'Choose a model.'
  if (values.datasetId === '') return 'Choose a dataset.'
  if (values.criterionId === '') return 'Choose a judge.'
  return Number(values.maxCostUsd) > 0 ? null : 'Say how much the run may cost.'
}
