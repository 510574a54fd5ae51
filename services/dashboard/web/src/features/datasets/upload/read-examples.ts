import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { UploadFormat } from '@ratchet/contracts/dataset-format'
import { AnsweredExample, TrainingPrompt } from '@ratchet/contracts/training-example'

/** Maximum bytes of a file that the page sends: the limit of a JSON body, less what surrounds the examples. */
export const maxUploadBytes = 15 * mebibyte

export type ReadExamples =
  | { readonly kind: 'read'; readonly examples: readonly AnsweredExample[] }
  | { readonly kind: 'invalid'; readonly message: string }

/** The examples of a file with one JSON object per line, checked as the server would. */
export function readExamples(text: string, format: UploadFormat = 'chat'): ReadExamples {
  const lines = text.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }))
  const examples: AnsweredExample[] = []
  for (const { line, number } of lines) {
    if (line === '') continue
    const value = parsed(line)
    if (value === undefined) return { kind: 'invalid', message: `Line ${number} is not JSON.` }
    const example = (format === 'prompts' ? TrainingPrompt : AnsweredExample).safeParse(value)
    if (!example.success) {
      const issue = example.error.issues[0]
      return { kind: 'invalid', message: `Line ${number}, ${issue?.path.join('.') || 'example'}: ${issue?.message}` }
    }
    examples.push(example.data)
  }
  if (examples.length === 0) return { kind: 'invalid', message: 'The file has no example.' }
  return { kind: 'read', examples }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
