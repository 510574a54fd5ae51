import type { StartRaftRound } from '@ratchet/contracts/session-raft'

/** What a person has chosen for a round. */
export interface RoundValues {
  readonly name: string
  readonly baseModel: string
  readonly datasetId: string
  readonly evalDatasetId: string
  readonly criterionId: string
  readonly secondCriterionId: string
  readonly samplesPerPrompt: number
  readonly minPrecision: number
  readonly realDataPct: number
  readonly maxCostUsd: string
}

export const newRoundValues: RoundValues = {
  name: '',
  baseModel: '',
  datasetId: '',
  evalDatasetId: '',
  criterionId: '',
  secondCriterionId: '',
  samplesPerPrompt: 8,
  minPrecision: 85,
  realDataPct: 10,
  maxCostUsd: '',
}

type Body = Partial<StartRaftRound> & Pick<StartRaftRound, 'maxCostUsd'>

/**
 * The body that starts a round; null while something is missing.
 *
 * @param continueFrom the round that it follows: then model, prompts and judges are those of that one
 */
export function bodyOf(values: RoundValues, continueFrom: string | null): Body | null {
  const maxCostUsd = Number(values.maxCostUsd)
  if (!(maxCostUsd > 0)) return null
  const { samplesPerPrompt, realDataPct, name } = values
  const common = {
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    samplesPerPrompt,
    realDataPct,
    minPrecision: values.minPrecision / 100,
    maxCostUsd,
  }
  if (continueFrom !== null) return { continueFromRoundId: continueFrom, ...common }
  const { baseModel, datasetId, criterionId } = values
  if (baseModel === '' || datasetId === '' || criterionId === '') return null
  return {
    baseModel,
    datasetId,
    criterionId,
    ...chosen('evalDatasetId', values),
    ...chosen('secondCriterionId', values),
    ...common,
  }
}

function chosen<K extends 'evalDatasetId' | 'secondCriterionId'>(
  key: K,
  values: RoundValues,
): Partial<Record<K, string>> {
  return values[key] === '' ? {} : ({ [key]: values[key] } as Record<K, string>)
}

/** The first thing that is missing, in words; null when nothing is. */
export function missingText(values: RoundValues, continueFrom: string | null): string | null {
  if (continueFrom === null) {
    if (values.baseModel === '') return 'Choose a model.'
    if (values.datasetId === '') return 'Choose a dataset.'
    if (values.criterionId === '') return 'Choose a judge.'
  }
  return Number(values.maxCostUsd) > 0 ? null : 'Say how much the round may cost.'
}
