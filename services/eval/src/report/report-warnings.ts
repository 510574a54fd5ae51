import type { CandidateReport, EvalReport } from '@ratchet/contracts/eval-report'
import { loggedBaseline } from '@ratchet/contracts/evals'

export interface WarningInput {
  readonly report: Omit<EvalReport, 'warnings'>
  readonly judgeModel: string
}

/** Error rate above which a warning is given. */
const maxErrorRate = 0.05
/** Share of samples without a verdict above which the judged ones may not be representative. */
const maxMissingRate = 0.05

/** Warnings that a reader needs in order to interpret the figures. */
export function reportWarnings(input: WarningInput): string[] {
  return [
    ...unreliableJudge(input),
    ...biasedJudge(input),
    ...lengthBias(input),
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

function biasedJudge({ report }: WarningInput): readonly string[] {
  return Object.entries(report.candidates).flatMap(([model, { judge_biased: isBiased, position_bias: bias }]) =>
    isBiased && bias !== null
      ? [
          `The judge favours the answer that is shown ${bias > 0 ? 'first' : 'second'}: it prefers it in both orders for ${percent(Math.abs(bias))} more of the pairs with ${model} than the other one. These pairs count as ties.`,
        ]
      : [],
  )
}

/** Warns when the win rate for answers of equal length lies outside of the interval of the win rate. */
function lengthBias({ report }: WarningInput): readonly string[] {
  return Object.entries(report.candidates).flatMap(([model, figures]) => {
    const { win_rate: rate, win_rate_ci: ci, length_controlled_win_rate: controlled, length_diff: difference } = figures
    if (rate === null || ci === null || controlled === null || difference === null) return []
    if (controlled >= ci[0] && controlled <= ci[1]) return []
    const length = `${Math.abs(Math.round(difference))} characters ${difference > 0 ? 'longer' : 'shorter'}`
    return [
      `Length explains a part of the win rate of ${model}: its answers are ${length} on average, and for answers of equal length the win rate is ${percent(controlled)} instead of ${percent(rate)}.`,
    ]
  })
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
  // Another question has its own margin, and a confidence sequence is wider: the number is true of neither.
  const isPlain = ({ difference }: CandidateReport) =>
    (difference?.question ?? 'better') === 'better' && difference?.method !== 'confidence_sequence'
  if (!Object.values(report.candidates).some((each) => each.inconclusive && isPlain(each))) return []
  return [
    `${report.samples_judged} judged samples cannot prove a win rate less than ${points(report.smallest_provable)} points from 50 %, unless there are many ties.`,
  ]
}

function manyErrors({ report }: WarningInput): readonly string[] {
  const models = [[report.baseline.model, report.baseline] as const, ...Object.entries(report.candidates)]
  return models.flatMap(([model, { errors, error_rate: rate }]) =>
    rate !== null && rate > maxErrorRate
      ? [
          `${model} gave no answer to ${percent(rate)} of the prompts (${errors}). It loses these prompts, unless the other model gave no answer either.`,
        ]
      : [],
  )
}

function missingVerdicts({ report }: WarningInput): readonly string[] {
  const { samples_failed: failed, samples_total: total } = report
  const failures = failed === 0 ? [] : [`${failed} of ${samplesIn(total)} failed completely.`]
  return [
    ...failures,
    ...Object.entries(report.candidates).flatMap(([model, figures]) => missingOf(model, figures, total - failed)),
  ]
}

/** Samples that the judge should have judged and did not. Those that a model did not answer are errors of that model. */
function missingOf(model: string, figures: CandidateReport, total: number): readonly string[] {
  const { unparseable, unjudged, won_by_error: won, lost_by_error: lost } = figures
  const missing = unparseable + unjudged - won - lost
  if (missing === 0) return []
  const rate = missing / total
  const counted = `${missing} of ${samplesIn(total)} (${percent(rate)}) ${missing === 1 ? 'has' : 'have'} no verdict on ${model} and ${missing === 1 ? 'is' : 'are'} not counted`
  const unread = unparseable === 0 ? '' : `; ${unparseable} unparseable`
  const effect =
    rate > maxMissingRate ? 'The others may not be representative.' : 'So few change the win rate very little.'
  return [`${counted}${unread}. ${effect}`]
}

function samplesIn(count: number): string {
  return count === 1 ? '1 sample' : `${count} samples`
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
