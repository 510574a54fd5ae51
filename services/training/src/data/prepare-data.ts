import type { TrainingDataReport } from '@ratchet/contracts/fine-tuning'
import { minTrainingExamples } from '@ratchet/contracts/fine-tuning-body'
import type { FineTuningMethodName } from '@ratchet/contracts/fine-tuning-models'
import { sortInSteps } from '@ratchet/service-kit/timing/sort-in-steps'
import { carveValidation } from './carve-validation.ts'
import type { CountTokens } from './read-example.ts'
import { type ChosenLines, type FoundExample, type ReadLines, readLines } from './read-lines.ts'
import { maxExampleBytes, maxExamples } from './training-source.ts'

export interface DataOrder {
  readonly method: FineTuningMethodName
  /** Maximum tokens of an example. */
  readonly maxSequenceLength: number
  readonly onTooLong: 'drop' | 'truncate_left' | 'fail'
  /** Decides which examples are validated with, when there is no other data for it. */
  readonly seed: number
  readonly training: Buffer
  /** Null: a part of the training data. */
  readonly validation: Buffer | null
  readonly countTokens: CountTokens
}

/** Examples that are ready for a trainer: which lines of the data they are. */
export interface PreparedData {
  readonly report: TrainingDataReport
  readonly training: Omit<ChosenLines, 'lines'> & { readonly lines: readonly FoundExample[] }
  readonly validation: ChosenLines
  /** Why nothing can be trained on it, for the user; null when it can. */
  readonly problem: string | null
  readonly warnings: readonly string[]
}

/**
 * Reads, checks and divides the examples of a job, in steps of some milliseconds. The same data, settings and seed give the
 * same result.
 */
export function* prepareData(order: DataOrder): Generator<void, PreparedData> {
  const trained = yield* readLines(order, order.training)
  const given = order.validation === null ? null : yield* readLines(order, order.validation)
  const usable = usableOf(order, trained)
  yield
  const roots = usable.map(({ rootKey }) => rootKey)
  const carved = given === null ? yield* carveValidation(roots, order.seed) : null
  const prompts = yield* setInSteps(given?.examples ?? [], ({ promptKey }) => promptKey)
  const training: FoundExample[] = []
  const kept: FoundExample[] = []
  for (const [index, example] of usable.entries()) {
    if (carved?.has(example.rootKey)) kept.push(example)
    else if (!prompts.has(example.promptKey)) training.push(example)
    if (index % stepLength === 0) yield
  }
  const validation = given === null ? kept : usableOf(order, given)
  yield
  const report = yield* reportOf(order, { trained, usable, training, validation, isCarved: given === null })
  return {
    report,
    training: { content: order.training, lines: training },
    validation: { content: order.validation ?? order.training, lines: validation },
    problem: problemOf(order, report, { trained, given }),
    warnings: warningsOf(report),
  }
}

/** Examples of a step, which takes a few milliseconds. */
const stepLength = 5_000

function* setInSteps<T>(items: readonly T[], keyOf: (item: T) => string): Generator<void, ReadonlySet<string>> {
  const keys = new Set<string>()
  for (const [index, item] of items.entries()) {
    keys.add(keyOf(item))
    if (index % stepLength === 0) yield
  }
  return keys
}

function usableOf(order: DataOrder, { examples }: ReadLines): readonly FoundExample[] {
  return examples.filter(({ isEmpty, longest }) => !isEmpty && fits(order, longest))
}

function fits({ onTooLong, maxSequenceLength }: DataOrder, longest: number): boolean {
  return onTooLong === 'truncate_left' || longest <= maxSequenceLength
}

interface Divided {
  readonly trained: ReadLines
  readonly usable: readonly FoundExample[]
  readonly training: readonly FoundExample[]
  readonly validation: readonly FoundExample[]
  readonly isCarved: boolean
}

function* reportOf(
  order: DataOrder,
  { trained, usable, training, validation, isCarved }: Divided,
): Generator<void, TrainingDataReport> {
  const { examples, invalid, firstInvalid, oversized } = trained
  const tokens = training.map((example) => tokensUsed(order, example.tokens))
  const sizes = yield* sortInSteps(tokens, (left, right) => left - right)
  const { size: different } = yield* setInSteps(examples, ({ key }) => key)
  return {
    examples: examples.length + invalid + oversized,
    used: training.length,
    validation: validation.length,
    too_long: oversized + examples.filter(({ longest }) => longest > order.maxSequenceLength).length,
    empty: examples.filter(({ isEmpty }) => isEmpty).length,
    invalid,
    first_invalid: firstInvalid,
    duplicates: examples.length - different,
    leaked_from_eval: isCarved ? 0 : usable.length - training.length,
    tokens: sizes.reduce((total, size) => total + size, 0),
    p50_tokens: quantile(sizes, 0.5),
    p95_tokens: quantile(sizes, 0.95),
    stop_token_trained: null,
    template_sha256: null,
  }
}

/** A truncated example has the maximum length; a truncated pair twice. */
function tokensUsed({ method, maxSequenceLength }: DataOrder, tokens: number): number {
  return Math.min(tokens, (method === 'dpo' ? 2 : 1) * maxSequenceLength)
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function problemOf(
  { method, onTooLong, maxSequenceLength }: DataOrder,
  report: TrainingDataReport,
  { trained, given }: { readonly trained: ReadLines; readonly given: ReadLines | null },
): string | null {
  const { examples, used, too_long: tooLong, empty, leaked_from_eval: leaked } = report
  const first = report.first_invalid ?? given?.firstInvalid ?? null
  if (first !== null) {
    const where = report.first_invalid === null ? 'the validation data' : 'the data'
    return `Line ${first.line} of ${where} is not an example for \`${method}\`: ${first.message}`
  }
  if (trained.hasMore || given?.hasMore === true) {
    const which = trained.hasMore ? 'The data' : 'The validation data'
    return `${which} has more than ${maxExamples.toLocaleString('en')} examples, the most that a job can have.`
  }
  if (onTooLong === 'fail' && tooLong > 0) {
    const limits = `${maxSequenceLength} tokens or ${maxExampleBytes / 1_048_576} MB`
    return `${tooLong} examples have more than ${limits}, and \`onTooLong\` is \`fail\`.`
  }
  if (used >= minTrainingExamples) return null
  const lost = `${tooLong} too long, ${empty} without an answer to learn, ${leaked} also in the validation data`
  return `A job needs at least ${minTrainingExamples} usable examples; ${used} of ${examples} are (${lost}).`
}

function warningsOf({ validation, duplicates, too_long: tooLong, leaked_from_eval: leaked }: TrainingDataReport) {
  return [
    ...(validation > 0 ? [] : ['There are too few examples to validate with, so `valid_loss` is not measured.']),
    ...(duplicates === 0 ? [] : [`${duplicates} examples are equal to an earlier one.`]),
    ...(tooLong === 0 ? [] : [`${tooLong} examples are longer than the maximum length.`]),
    ...(leaked === 0 ? [] : [`${leaked} examples are left out because the validation data has the same prompts.`]),
  ]
}
