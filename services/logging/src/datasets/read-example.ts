import { AnsweredExample, TrainingPrompt } from '@ratchet/contracts/training-example'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { mayLoseDigits, parseExact } from '@ratchet/service-kit/values/exact-json'
import { asList, asObject } from '@ratchet/service-kit/values/json'
import { problemOfText } from '../exchanges/content-limits.ts'
import { type Refusal, refusalOf } from '../threads/refusal.ts'
import { exampleLine } from './example-line.ts'

export interface ExampleOrder {
  readonly workspaceId: string
  /** JSON. */
  readonly text: string
  /** `prompts`: it ends before the reply. */
  readonly format: 'chat' | 'prompts'
  /** Where the example is in the client's body. */
  readonly path: readonly (string | number)[]
}

export type ExampleResult =
  /** As a line of a dataset. */
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'not-json' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'too-deep' }
  | Refusal

/** Reads examples without blocking the event loop, however large one is. */
export interface ExampleReader {
  /**
   * @throws ServiceError `service_unavailable` when too much of the workspace waits, or for too long, or when reading takes too
   *   long
   */
  example(order: ExampleOrder): Promise<ExampleResult>
}

/** Reads a training example, in a time that grows with its size: about two seconds for the worst text. */
export function readExample({ text, format, path }: ExampleOrder): ExampleResult {
  const problem = problemOfText(text)
  if (problem !== null) return { kind: problem }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'not-json' }
  }
  try {
    const example = parseInput(format === 'prompts' ? TrainingPrompt : AnsweredExample, value, path)
    const exact = mayLoseDigits(text) ? withExactContent(example, parseExact(text)) : example
    return { kind: 'read', text: exampleLine(exact).text }
  } catch (error) {
    return refusalOf(error)
  }
}

/** The example with all numbers in its messages and tools as they were written. */
function withExactContent(example: AnsweredExample, exact: unknown): AnsweredExample {
  const { messages, tools } = asObject(exact) ?? {}
  const kept = asList(messages)
  return {
    ...example,
    messages: example.messages.map((message, index) => {
      const { content, weight } = message
      const read = asObject(kept[index]) ?? {}
      return { ...message, ...read, content: (read.content ?? content) as typeof content, weight }
    }),
    ...(example.tools === undefined ? {} : { tools: asList(tools) as AnsweredExample['tools'] }),
  }
}
