import type { RewardFunction } from '@ratchet/contracts/grpo-body'
import { compileLinearPattern, linearPatternSize } from '@ratchet/contracts/linear-pattern'
import { measureJson } from '@ratchet/service-kit/json/measure-json'
import { toEnd } from '@ratchet/service-kit/timing/to-end'
import { asList, isObject, parseJson } from '@ratchet/service-kit/values/json'
import type { ExchangeMessage } from '../prompt/exchange.ts'
import { checkAssertions } from './check-assertions.ts'
import { containsAll } from './contains-all.ts'
import { countWords } from './count-text.ts'

export interface CheckedAnswer {
  /** What followed the prompt; the last message is the assistant's. */
  readonly completion: readonly ExchangeMessage[]
  /** The reply of the dataset; null without one. */
  readonly reference: string | null
}

/** A check without what it is worth in a reward. */
export type AnswerCheck = WithoutWorth<RewardFunction>
type WithoutWorth<Check> = Check extends unknown ? Omit<Check, 'weight' | 'required'> : never

/** Whether a value fits a JSON Schema. */
export type FitsSchema = (schema: Readonly<Record<string, unknown>>, value: unknown) => boolean

/** Whether an answer passes a check that needs no judge. Takes some tenths of a second at most, for any answer and check. */
export function checkAnswer(check: AnswerCheck, answer: CheckedAnswer, fitsSchema: FitsSchema): boolean {
  return toEnd(checkInSteps(check, answer, fitsSchema))
}

/** The same in steps, for answers of megabytes. */
export function* checkInSteps(
  check: AnswerCheck,
  answer: CheckedAnswer,
  fitsSchema: FitsSchema,
): Generator<void, boolean> {
  const text = textOf(answer.completion.at(-1))
  switch (check.type) {
    case 'exact_match':
      return answer.reference !== null && text.trim() === answer.reference.trim()
    case 'numeric_close':
      return isClose(text, answer.reference, check.tolerance)
    case 'contains':
      return yield* containsAll(text, check.values)
    case 'regex':
      return matchesWhole(check.pattern, text)
    case 'json_schema': {
      const value = isSmallJson(text) ? parseJson(text) : undefined
      return value !== undefined && fitsSchema(check.schema, value)
    }
    case 'tool_called':
      return holds(answer, check)
    case 'no_tool_call':
      return checkAssertions([{ type: 'no_tool_call' }], toolCallsOf(answer.completion)).no_tool_call === true
    case 'length': {
      const words = countWords(text)
      return words >= check.min && words <= check.max
    }
  }
}

/** Characters of an answer that a pattern or a schema is compared with. A longer one passes neither. */
const maxComparedChars = 100_000
/** Characters of an answer times those of the pattern. */
const maxMatchedSize = 2_500_000

/** Whether an answer is so long that it is not compared: then neither a check nor its contrary is known to hold. */
export function isBeyondComparing(check: { readonly type: string; readonly pattern?: string }, text: string): boolean {
  if (check.type === 'json' || check.type === 'json_schema') return !isSmallJson(text)
  return check.type === 'regex' && !isSmallFor(check.pattern ?? '', text)
}

function isSmallFor(pattern: string, text: string): boolean {
  return text.length <= maxComparedChars && text.length * linearPatternSize(pattern) <= maxMatchedSize
}

function matchesWhole(pattern: string, text: string): boolean {
  return isSmallFor(pattern, text) && compileLinearPattern(pattern)(text)
}

const maxJsonParts = 10_000
const maxJsonDepth = 100

function isSmallJson(text: string): boolean {
  if (text.length > maxComparedChars) return false
  const { parts, depth } = measureJson(text)
  return parts <= maxJsonParts && depth <= maxJsonDepth
}

function holds({ completion }: CheckedAnswer, { name, args }: Extract<AnswerCheck, { type: 'tool_called' }>): boolean {
  const assertion =
    args === undefined
      ? ({ type: 'tool_called', value: name } as const)
      : ({ type: 'args_match', value: name, args } as const)
  return Object.values(checkAssertions([assertion], toolCallsOf(completion))).includes(true)
}

function toolCallsOf(completion: readonly ExchangeMessage[]): readonly unknown[] {
  return completion.flatMap((message) => (message.role === 'assistant' ? asList(message.tool_calls) : []))
}

function isClose(text: string, reference: string | null, tolerance: number): boolean {
  const [given, expected] = [lastNumber(text), lastNumber(reference ?? '')]
  return given !== null && expected !== null && Math.abs(given - expected) <= tolerance
}

/** Thousands may be separated by commas. */
function lastNumber(text: string): number | null {
  const found = text.match(/-?\d[\d,]*(?:\.\d+)?/g)?.at(-1)
  return found === undefined ? null : Number(found.replaceAll(',', ''))
}

/** The text of a message: of several parts, those with text. */
export function textOf(message: ExchangeMessage | undefined): string {
  const content = message?.content
  if (typeof content === 'string') return content
  return asList(content)
    .map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : ''))
    .join('')
}
