import type { EvalReport } from '@ratchet/contracts/eval-report'
import { loggedBaseline } from '@ratchet/contracts/evals'

export interface WarningInput {
  readonly report: Omit<EvalReport, 'warnings'>
  readonly judgeModel: string
}

/** Error rate above which a warning is given, because the remaining samples may not be representative. */
const maxErrorRate = 0.05

/** Warnings that a reader needs in order to interpret the figures. */
export function reportWarnings(input: WarningInput): string[] {
  return [
    ...unreliableJudge(input),
    ...ownFamily(input),
    ...tooFewSamples(input),
    ...manyErrors(input),
    ...missingVerdicts(input),
  ]
}

function unreliableJudge({ report }: WarningInput): readonly string[] {
  return Object.entries(report.candidates).flatMap(
    ([model, { judge_unreliable: isUnreliable, consistency_rate: rate }]) =>
      isUnreliable
        ? [
            `The judge is unreliable for ${model}: it preferred the same answer in both orders for only ${percent(rate ?? 0)} of the pairs.`,
          ]
        : [],
  )
}

/** A judge of the same family as all compared models favours none of them. */
function ownFamily({ report, judgeModel }: WarningInput): readonly string[] {
  // "logged" does not name the model that gave the answers.
  if (report.baseline.model === loggedBaseline) return []
  const compared = [report.baseline.model, ...Object.keys(report.candidates)]
  const own = compared.filter((model) => areOneFamily(model, judgeModel))
  if (own.length === 0 || own.length === compared.length) return []
  return [
    `The judge ${judgeModel} seems to belong to the same family as ${own.join(', ')}. Judges tend to favour their own family: confirm the result with a judge of another family.`,
  ]
}

function tooFewSamples({ report }: WarningInput): readonly string[] {
  if (report.samples_judged === 0) return ['No sample has a verdict on every candidate.']
  if (Object.values(report.candidates).every(({ inconclusive }) => !inconclusive)) return []
  return [
    `${report.samples_judged} judged samples cannot prove a win rate less than ${points(report.smallest_provable)} points from 50 %, unless there are many ties.`,
  ]
}

function manyErrors({ report }: WarningInput): readonly string[] {
  const models = [[report.baseline.model, report.baseline] as const, ...Object.entries(report.candidates)]
  return models.flatMap(([model, { errors, error_rate: rate }]) =>
    rate !== null && rate > maxErrorRate
      ? [
          `${model} gave no answer to ${percent(rate)} of the prompts (${errors}). Win rates do not count these prompts.`,
        ]
      : [],
  )
}

function missingVerdicts({ report }: WarningInput): readonly string[] {
  const { samples_failed: failed, samples_total: total } = report
  const pairs = Object.entries(report.candidates).flatMap(([model, { unparseable, unjudged }]) =>
    unparseable + unjudged === 0
      ? []
      : [
          `${unparseable + unjudged} samples have no verdict on ${model} (${unparseable} unparseable) and are not counted.`,
        ],
  )
  return [...(failed === 0 ? [] : [`${failed} of ${total} samples failed completely.`]), ...pairs]
}

function percent(share: number): string {
  return `${points(share)} %`
}

/** Percent, to one decimal. */
function points(share: number): string {
  return String(Math.round(share * 1000) / 10)
}

/** Providers that serve models of other makers, so their name does not identify the maker. */
const hosts = new Set(['azure', 'bedrock', 'dedicated', 'deepinfra', 'fireworks', 'groq', 'openrouter', 'together'])

/**
 * Whether two models seem to belong to one family: they have the same maker, as `openai/o3` and `openai/gpt-5`, or the same
 * first word in their name, as `bedrock/claude-opus-5` and `claude-haiku-5`.
 */
export function areOneFamily(one: string, other: string): boolean {
  const marks = marksOf(other)
  return marksOf(one).some((mark) => marks.includes(mark))
}

function marksOf(model: string): readonly string[] {
  const parts = model.toLowerCase().split('/')
  const maker = parts.at(-2)
  const name = /^[a-z]+/.exec(parts.at(-1) ?? '')?.[0]
  return [...(maker === undefined || hosts.has(maker) ? [] : [`${maker}/`]), ...(name === undefined ? [] : [name])]
}
