import { acceptedPrecision, acceptedPrecisionInterval, type JudgeAccuracy } from '@ratchet/stats/accepted-precision'
import { clusteredMean } from '@ratchet/stats/clustered-mean'
import { clusteredMeanInterval } from '@ratchet/stats/clustered-mean-interval'
import { wilsonEquivalent } from '@ratchet/stats/wilson-equivalent'
import type { FrozenJudge } from '../grpo/runs/run-settings.ts'
import { distinctShare } from './distinct-share.ts'
import type { Curation, HoldoutRates, JudgedSample, Round, RoundFailure, RoundPrompt } from './round.ts'

export interface CurationInput {
  readonly round: Pick<Round, 'id' | 'settings' | 'judges'>
  /** Those that are chosen from. */
  readonly prompts: readonly RoundPrompt[]
  readonly samples: readonly JudgedSample[]
  /** Of the first round of the chain; null in the first one. */
  readonly firstDistinct: number | null
}

export interface Curated {
  readonly curation: Curation
  readonly examples: readonly object[]
  /** The answers among the examples. */
  readonly chosen: readonly JudgedSample[]
  /** Null when it can be trained on. */
  readonly failure: RoundFailure | null
}

/** Fewest examples that a model is trained on. */
const minExamples = 10
/** Below the first the round warns, below the second it fails. */
const distinctBars = { warns: 0.7, fails: 0.5 }
/** Highest share of answers that were refused or got no verdict. */
const maxUnusable = 0.5

/**
 * Chooses among the answers of a round, and bounds how many of the chosen are wrong. What fails the bound is not trained on.
 */
export function curateRound({ round, prompts, samples, firstDistinct }: CurationInput): Curated {
  const { request } = round.settings
  const groups = [...Map.groupBy(samples, ({ promptIndex }) => promptIndex).values()]
  const judged = samples.filter(({ accepted }) => accepted !== null)
  const accepted = judged.filter((sample) => sample.accepted)
  const chosen = groups.flatMap((group) => chosenOf(group, request))
  const precision = precisionOf(round, groups)
  const distinct = distinctShare(groups.map((group) => group.flatMap(({ completion }) => textOf(completion) ?? [])))
  const distinctRatio = distinct === null ? null : firstDistinct === null ? 1 : distinct / firstDistinct
  const kept = chosen.map(({ promptIndex, completion }) => exampleOf(prompts[promptIndex], completion))
  const real = realExamples(prompts, kept.length, request.realDataPct)
  const curation: Curation = {
    generated: samples.filter(({ completion }) => completion !== null).length,
    judged: judged.length,
    accepted: accepted.length,
    promptsAllFail: groups.filter((group) => group.every((sample) => sample.accepted !== true)).length,
    promptsAllPass: groups.filter((group) => group.every((sample) => sample.accepted === true)).length,
    precision: precision?.estimate ?? null,
    precisionCi: precision?.interval ?? null,
    distinct,
    distinctRatio,
    kept: kept.length,
    real: real.length,
  }
  return {
    curation,
    examples: [...kept, ...real],
    chosen,
    failure: failureOf(curation, { samples: samples.length, minPrecision: request.minPrecision }),
  }
}

function chosenOf(
  group: readonly JudgedSample[],
  { keep, keepPerPrompt, minPassesPerPrompt, dropAllPass }: Round['settings']['request'],
): readonly JudgedSample[] {
  const accepted = group.filter((sample) => sample.accepted === true)
  if (accepted.length < minPassesPerPrompt) return []
  // Nothing is learned from what it can do already.
  if (dropAllPass && accepted.length === group.length) return []
  const distinct = [...new Map(accepted.map((sample) => [JSON.stringify(sample.completion), sample])).values()]
  const most = keep === 'all_passing' ? distinct.length : keep === 'best' ? 1 : keepPerPrompt
  return distinct.slice(0, most)
}

function precisionOf({ id, judges }: Pick<Round, 'id' | 'judges'>, groups: readonly (readonly JudgedSample[])[]) {
  const values = groups.map((group) => group.flatMap(({ accepted }) => (accepted === null ? [] : accepted ? 1 : 0)))
  const clustered = clusteredMean(values.filter(({ length }) => length > 0))
  const accuracies = judges.flatMap((judge) => accuracyOf(judge) ?? [])
  if (clustered === null || accuracies.length < judges.length) return null
  const { mean: rate, standardError } = clustered
  const estimate = acceptedPrecision(Math.min(1, Math.max(0, rate)), accuracies)
  if (estimate === null) return null
  const count = values.flat().length
  // Answers to one prompt are alike: as many independent ones as have this error.
  const trials = standardError > 0 ? Math.min(count, (rate * (1 - rate)) / standardError ** 2) : values.length
  const { low, high } = acceptedPrecisionInterval({ rate, trials: Math.max(1, trials) }, accuracies, id)
  return { estimate: estimate.precision, interval: [low, high] as const }
}

/** Two-sided critical value of the intervals of judges. */
const z95 = 1.959963984540054
const manyGrades = 1_000_000

/** The rates of a judge with as many grades as have their intervals; null when it was never measured. */
function accuracyOf({ tpr, tnr, tprCi, tnrCi }: FrozenJudge): JudgeAccuracy | null {
  if (tpr === null || tnr === null || tprCi === null || tnrCi === null) return null
  const trials = (rate: number, [low, high]: readonly [number, number]) =>
    Math.max(1, wilsonEquivalent({ rate, interval: { low, high }, z: z95 }, manyGrades).effectiveTrials)
  return { tpr, failing: trials(tpr, tprCi), tnr, passing: trials(tnr, tnrCi) }
}

function exampleOf(prompt: RoundPrompt | undefined, completion: JudgedSample['completion']): object {
  const { messages = [], tools = null } = prompt ?? {}
  const reply = { ...completion, role: 'assistant' }
  return { messages: [...messages, reply], ...(tools === null ? {} : { tools }) }
}

/** So many replies of the dataset that they are this percent of all examples, the first ones that there are. */
function realExamples(prompts: readonly RoundPrompt[], kept: number, percent: number): readonly object[] {
  const needed = Math.round((kept * percent) / (100 - percent))
  return prompts
    .filter(({ reference }) => reference !== null && reference.trim() !== '')
    .slice(0, needed)
    .map((prompt) => exampleOf(prompt, { content: prompt.reference }))
}

/** What users should know of the examples of a round. */
export function* curationWarnings({ distinctRatio, real, kept }: Curation, realDataPct: number): Generator<string> {
  if (distinctRatio !== null && distinctRatio < distinctBars.warns) {
    yield 'The answers are less varied than those of the first round.'
  }
  if (realDataPct > 0 && kept > 0 && real < Math.round((kept * realDataPct) / (100 - realDataPct))) {
    yield `The dataset has only ${real} replies to mix in.`
  }
}

interface Bars {
  readonly samples: number
  readonly minPrecision: number
}

function failureOf(curation: Curation, { samples, minPrecision }: Bars): RoundFailure | null {
  const { judged, accepted, precisionCi, distinctRatio, kept, real } = curation
  if (judged < samples * (1 - maxUnusable)) {
    return { code: 'sampling_failed', message: `Only ${judged} of ${samples} answers were given and judged.` }
  }
  if (accepted === 0) return { code: 'no_answers_accepted', message: 'The judge accepted no answer.' }
  const low = precisionCi?.[0] ?? 0
  if (low < minPrecision) {
    const message = `Perhaps only ${percent(low)} of the accepted answers are right, less than \`minPrecision\` (${percent(minPrecision)}). Add a second judge, grade more answers, or begin with a model that passes more often.`
    return { code: 'precision_too_low', message }
  }
  if (distinctRatio !== null && distinctRatio < distinctBars.fails) {
    return {
      code: 'answers_too_alike',
      message: 'The answers are less than half as varied as those of the first round.',
    }
  }
  if (kept + real >= minExamples) return null
  const message = `Only ${kept} answers can be trained on; ${minExamples} examples are needed. Use more prompts, or lower \`minPassesPerPrompt\`.`
  return { code: 'too_few_examples', message }
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`
}

function textOf(completion: JudgedSample['completion']): string | null {
  return typeof completion?.content === 'string' ? completion.content : null
}

/**
 * Share of the answers to held out prompts that were accepted before and after, with the interval of the difference. Each prompt
 * counts once. Null when fewer than two prompts were judged in both.
 */
export function holdoutRates(before: readonly JudgedSample[], after: readonly JudgedSample[]): HoldoutRates | null {
  const [first, second] = [before, after].map(ratesByPrompt) as [Map<number, number>, Map<number, number>]
  const pairs = [...first].flatMap(([prompt, rate]) => {
    const later = second.get(prompt)
    return later === undefined ? [] : [{ rate, later }]
  })
  const interval = clusteredMeanInterval(pairs.map(({ rate, later }) => [later - rate]))
  if (interval === null) return null
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    before: mean(pairs.map(({ rate }) => rate)),
    after: mean(pairs.map(({ later }) => later)),
    ci: [Math.max(-1, interval.low), Math.min(1, interval.high)],
  }
}

function ratesByPrompt(samples: readonly JudgedSample[]): Map<number, number> {
  const judged = samples.filter(({ accepted }) => accepted !== null)
  const groups = Map.groupBy(judged, ({ promptIndex }) => promptIndex)
  return new Map(
    [...groups].map(([prompt, group]) => [prompt, group.filter(({ accepted }) => accepted).length / group.length]),
  )
}

/** Whether the version of a round was better than what it was trained from, beyond chance. */
export function beatParent({ holdout, modelVersionId }: Pick<Round, 'holdout' | 'modelVersionId'>): boolean {
  return modelVersionId !== null && holdout !== null && holdout.ci[0] > 0
}
