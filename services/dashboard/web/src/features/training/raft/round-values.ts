import type { startRaftRound } from '@ratchet/contracts/session-raft'
import type { z } from 'zod'

/** What a person has chosen for a round. Fields of text that are empty have their defaults. */
export interface RoundValues {
  readonly name: string
  readonly baseModel: string
  /** The version that it begins with; empty: the model. */
  readonly modelVersionId: string
  /** Where its prompts come from. */
  readonly from: 'dataset' | 'log'
  readonly datasetId: string
  /** Of requests of the log; empty: all of them. */
  readonly tag: string
  readonly evalDatasetId: string
  readonly holdoutPct: string
  readonly criterionId: string
  readonly secondCriterionId: string
  readonly samplesPerPrompt: number
  readonly minPrecision: number
  readonly realDataPct: number
  readonly nEpochs: string
  readonly batchSize: string
  readonly learningRate: string
  readonly loraRank: string
  readonly maxSequenceLength: string
  readonly evalBaselineModel: string
  readonly evalCriterionId: string
  readonly maxCostUsd: string
}

export const newRoundValues: RoundValues = {
  name: '',
  baseModel: '',
  modelVersionId: '',
  from: 'dataset',
  datasetId: '',
  tag: '',
  evalDatasetId: '',
  holdoutPct: '',
  criterionId: '',
  secondCriterionId: '',
  samplesPerPrompt: 8,
  minPrecision: 85,
  realDataPct: 10,
  nEpochs: '',
  batchSize: '',
  learningRate: '',
  loraRank: '',
  maxSequenceLength: '',
  evalBaselineModel: '',
  evalCriterionId: '',
  maxCostUsd: '',
}

type Body = z.input<(typeof startRaftRound)['body']>

/**
 * The body that starts a round; null while something is missing.
 *
 * @param continueFrom the round that it follows: then model, prompts and judges are those of that one
 */
export function bodyOf(values: RoundValues, continueFrom: string | null): Body | null {
  const priced = pricedOf(values, continueFrom)
  const maxCostUsd = Number(values.maxCostUsd)
  return priced === null || !(maxCostUsd > 0) ? null : { ...priced, maxCostUsd }
}

/** What its cost follows from; null while something is missing. */
export function pricedOf(values: RoundValues, continueFrom: string | null): Omit<Body, 'maxCostUsd'> | null {
  if (missingIn(values, continueFrom) !== null) return null
  const { samplesPerPrompt, realDataPct, minPrecision, name } = values
  const common = {
    ...given('name', textOf(name)),
    samplesPerPrompt,
    realDataPct,
    minPrecision: minPrecision / 100,
    ...given('fineTuning', trainingOf(values)),
    ...given('evalBaseline', evalOf(values)),
  }
  return continueFrom === null ? { ...firstOf(values), ...common } : { continueFromRoundId: continueFrom, ...common }
}

function firstOf(values: RoundValues): Partial<Body> {
  const { baseModel, modelVersionId, from, datasetId, tag, criterionId } = values
  const evalDatasetId = textOf(values.evalDatasetId)
  return {
    ...(modelVersionId === '' ? { baseModel } : { modelVersionId }),
    ...(from === 'dataset' ? { datasetId } : { filters: given('tag', textOf(tag)) }),
    criterionId,
    ...given('evalDatasetId', evalDatasetId),
    ...(evalDatasetId === undefined ? given('holdoutPct', numberOf(values.holdoutPct)) : {}),
    ...given('secondCriterionId', textOf(values.secondCriterionId)),
  }
}

type Hyperparameters = NonNullable<NonNullable<Body['fineTuning']>['hyperparameters']>

function trainingOf(values: RoundValues): Body['fineTuning'] | undefined {
  const hyperparameters: Hyperparameters = {
    ...given('nEpochs', numberOf(values.nEpochs)),
    ...given('batchSize', numberOf(values.batchSize)),
    ...given('learningRate', numberOf(values.learningRate)),
    ...given('loraRank', numberOf(values.loraRank) as Hyperparameters['loraRank']),
    ...given('maxSequenceLength', numberOf(values.maxSequenceLength)),
  }
  return Object.keys(hyperparameters).length === 0 ? undefined : { hyperparameters }
}

function evalOf({ evalBaselineModel, evalCriterionId }: RoundValues): Body['evalBaseline'] | undefined {
  return evalBaselineModel === '' ? undefined : { evalBaselineModel, criterionId: evalCriterionId }
}

function textOf(text: string): string | undefined {
  return text.trim() === '' ? undefined : text.trim()
}

function numberOf(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text.replaceAll(',', ''))
}

/** A member of an object, which is left out when it has no value. */
function given<Name extends string, Value>(name: Name, value: Value | undefined): { readonly [Each in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [Each in Name]?: Value })
}

/** The first thing that is missing, in words; null when nothing is. */
export function missingText(values: RoundValues, continueFrom: string | null): string | null {
  const missing = missingIn(values, continueFrom)
  if (missing !== null) return missing
  return Number(values.maxCostUsd) > 0 ? null : 'Say how much the round may cost.'
}

function missingIn(values: RoundValues, continueFrom: string | null): string | null {
  if (continueFrom === null) {
    if (values.baseModel === '' && values.modelVersionId === '') return 'Choose a model.'
    if (values.from === 'dataset' && values.datasetId === '') return 'Choose a dataset.'
    if (values.criterionId === '') return 'Choose a judge.'
  }
  const isCompared = values.evalBaselineModel !== ''
  return isCompared && values.evalCriterionId === '' ? 'Choose who compares the version.' : null
}
