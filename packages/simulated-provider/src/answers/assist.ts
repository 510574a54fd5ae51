import type { ChatRequest } from '../wire/chat-request.ts'
import { flawMark } from './write-answer-text.ts'

/** Maximum number of items that a suggestion names. */
const maxNamed = 5

/**
 * The answer to who asks for judges or for a better prompt of one, recognized by the schema of the answer; null for other
 * questions. The same question always gets the same answer.
 */
export function assist({ format, messages }: ChatRequest): string | null {
  if (format.kind !== 'json_schema') return null
  const text = messages.map((message) => message.text).join('\n')
  const properties = (format.schema.properties ?? {}) as Readonly<Record<string, unknown>>
  if ('suggestions' in properties) return JSON.stringify({ suggestions: [suggestion(text)] })
  if ('judge_prompt' in properties) return JSON.stringify({ judge_prompt: betterPrompt })
  return null
}

const betterPrompt = `The answer is wrong, or says ${flawMark}. An answer that is only short or plain passes.`

function suggestion(text: string) {
  const items = text.split(/(?=<<item \d+ )/).filter((part) => part.startsWith('<<item '))
  const numbers = items.map((item) => Number(/^<<item (\d+) /.exec(item)?.[1]))
  const flawed = numbers.filter((_, index) => items[index]?.includes(flawMark))
  const evidence = (flawed.length > 0 ? flawed : numbers).slice(0, maxNamed)
  return {
    name: 'Flawed answers',
    description: 'Answers that contain a flaw.',
    judge_prompt: `The answer says ${flawMark}.`,
    evidence: evidence.length > 0 ? evidence : [1],
  }
}
