import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TrainingDataReport } from '@ratchet/contracts/fine-tuning'
import { minTrainingExamples } from '@ratchet/contracts/fine-tuning-body'
import type { FineTuningMethodName } from '@ratchet/contracts/fine-tuning-models'
import { jsonLines, LineTooLong } from '@ratchet/service-kit/values/json-lines'
import { carveValidation } from './carve-validation.ts'
import { type CountTokens, type ReadExample, readExample } from './read-example.ts'
import { maxExampleBytes } from './training-source.ts'

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

/** Examples that are ready for a trainer: lines of JSON. */
export interface PreparedData {
  readonly report: TrainingDataReport
  readonly training: readonly string[]
  readonly validation: readonly string[]
  /** Why nothing can be trained on it, for the user; null when it can. */
  readonly problem: string | null
  readonly warnings: readonly string[]
}

type Example = Extract<ReadExample, { kind: 'example' }> & { readonly text: string }

/** Reads, checks and divides the examples of a job. The same data, settings and seed give the same result. */
export async function prepareData(order: DataOrder): Promise<PreparedData> {
  const trained = await readAll(order, order.training)
  const given = order.validation === null ? null : await readAll(order, order.validation)
  const usable = trained.examples.filter(({ isEmpty, longest }) => !isEmpty && fits(order, longest))
  const carved =
    given === null
      ? carveValidation(
          usable.map(({ rootKey }) => rootKey),
          order.seed,
        )
      : null
  const prompts = new Set(given?.examples.map(({ promptKey }) => promptKey))
  const training = usable.filter(({ rootKey, promptKey }) => !carved?.has(rootKey) && !prompts.has(promptKey))
  const validation =
    given === null
      ? usable.filter(({ rootKey }) => carved?.has(rootKey))
      : given.examples.filter(({ isEmpty, longest }) => !isEmpty && fits(order, longest))
  const report = reportOf(order, { trained, usable, training, validation, isCarved: given === null })
  return {
    report,
    training: training.map(({ text }) => text),
    validation: validation.map(({ text }) => text),
    problem: problemOf(order, report, given),
    warnings: warningsOf(report),
  }
}

interface ReadLines {
  readonly examples: readonly Example[]
  readonly invalid: number
  readonly firstInvalid: TrainingDataReport['first_invalid']
}

async function readAll({ method, countTokens }: DataOrder, content: Buffer): Promise<ReadLines> {
  const examples: Example[] = []
  let invalid = 0
  let firstInvalid: TrainingDataReport['first_invalid'] = null
  const refuse = (line: number, message: string) => {
    invalid += 1
    firstInvalid ??= { line, message }
  }
  try {
    for await (const { number, text } of jsonLines(inPieces(content), maxExampleBytes)) {
      const example = readExample(text, method, countTokens)
      if (example.kind === 'invalid') refuse(number, example.message)
      else examples.push({ ...example, text })
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error
    refuse(error.lineNumber, 'The line is too long.')
  }
  return { examples, invalid, firstInvalid }
}

const pieceBytes = 65_536

/** Other work of the process gets its turn between two pieces. */
async function* inPieces(content: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < content.length; from += pieceBytes) {
    yield content.subarray(from, from + pieceBytes)
    await nextTurn()
  }
}

function fits({ onTooLong, maxSequenceLength }: DataOrder, longest: number): boolean {
  return onTooLong === 'truncate_left' || longest <= maxSequenceLength
}

interface Divided {
  readonly trained: ReadLines
  readonly usable: readonly Example[]
  readonly training: readonly Example[]
  readonly validation: readonly Example[]
  readonly isCarved: boolean
}

function reportOf(order: DataOrder, { trained, usable, training, validation, isCarved }: Divided): TrainingDataReport {
  const { examples, invalid, firstInvalid } = trained
  const sizes = training.map(({ tokens }) => tokensUsed(order, tokens)).sort((left, right) => left - right)
  return {
    examples: examples.length + invalid,
    used: training.length,
    validation: validation.length,
    too_long: examples.filter(({ longest }) => longest > order.maxSequenceLength).length,
    empty: examples.filter(({ isEmpty }) => isEmpty).length,
    invalid,
    first_invalid: firstInvalid,
    duplicates: examples.length - new Set(examples.map(({ key }) => key)).size,
    leaked_from_eval: isCarved ? 0 : usable.length - training.length,
    tokens: sizes.reduce((total, tokens) => total + tokens, 0),
    p50_tokens: quantile(sizes, 0.5),
    p95_tokens: quantile(sizes, 0.95),
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
  validation: ReadLines | null,
): string | null {
  const { examples, used, too_long: tooLong, empty, leaked_from_eval: leaked } = report
  const first = report.first_invalid ?? validation?.firstInvalid ?? null
  if (first !== null) {
    const where = report.first_invalid === null ? 'the validation data' : 'the data'
    return `Line ${first.line} of ${where} is not an example for \`${method}\`: ${first.message}`
  }
  if (onTooLong === 'fail' && tooLong > 0) {
    return `${tooLong} examples have more than ${maxSequenceLength} tokens, and \`onTooLong\` is \`fail\`.`
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
