import type { EvalReport } from '@ratchet/contracts/eval-report'
import { loggedBaseline } from '@ratchet/contracts/evals'
import { areOneFamily } from './model-family.ts'

export interface Warned {
  readonly report: Omit<EvalReport, 'warnings'>
  readonly judgeModel: string
}

/** Share of prompts without an answer above which the rest says little of the model. */
const maxErrors = 0.05

/** What the reader of a report should know beside its numbers. */
export function reportWarnings(warned: Warned): string[] {
  return [
    ...unreliableJudge(warned),
    ...ownFamily(warned),
    ...tooFewSamples(warned),
    ...manyErrors(warned),
    ...missingVerdicts(warned),
  ]
}

function unreliableJudge({ report }: Warned): readonly string[] {
  return Object.entries(report.candidates).flatMap(
    ([model, { judge_unreliable: isUnreliable, consistency_rate: rate }]) =>
      isUnreliable
        ? [
            `The judge is unreliable for ${model}: it said the same in both orders of ${percent(rate ?? 0)} of the pairs only.`,
          ]
        : [],
  )
}

/** Who favours all of the compared models favours none of them. */
function ownFamily({ report, judgeModel }: Warned): readonly string[] {
  // Whose the stored answers are, their name does not tell.
  if (report.baseline.model === loggedBaseline) return []
  const compared = [report.baseline.model, ...Object.keys(report.candidates)]
  const own = compared.filter((model) => areOneFamily(model, judgeModel))
  if (own.length === 0 || own.length === compared.length) return []
  return [
    `The judge ${judgeModel} seems to be of the family of ${own.join(', ')}, and judges tend to favour their own: check with a judge of another family.`,
  ]
}

function tooFewSamples({ report }: Warned): readonly string[] {
  if (report.samples_judged === 0) return ['No sample has a verdict on every candidate.']
  if (Object.values(report.candidates).every(({ inconclusive }) => !inconclusive)) return []
  return [
    `${report.samples_judged} judged samples cannot prove a win rate that is less than ${points(report.smallest_provable)} points from 50 %, unless there are many ties.`,
  ]
}

function manyErrors({ report }: Warned): readonly string[] {
  const models = [[report.baseline.model, report.baseline] as const, ...Object.entries(report.candidates)]
  return models.flatMap(([model, { errors, error_rate: rate }]) =>
    rate !== null && rate > maxErrors
      ? [`${model} gave no answer to ${percent(rate)} of the prompts (${errors}), which no win rate counts.`]
      : [],
  )
}

function missingVerdicts({ report }: Warned): readonly string[] {
  const { samples_failed: failed, samples_total: total } = report
  const pairs = Object.entries(report.candidates).flatMap(([model, { unparseable, unjudged }]) =>
    unparseable + unjudged === 0
      ? []
      : [`${unparseable + unjudged} samples have no verdict on ${model} (${unparseable} unreadable) and do not count.`],
  )
  return [...(failed === 0 ? [] : [`${failed} of ${total} samples could not be done at all.`]), ...pairs]
}

function percent(share: number): string {
  return `${points(share)} %`
}

/** Percent, to one decimal. */
function points(share: number): string {
  return String(Math.round(share * 1000) / 10)
}
