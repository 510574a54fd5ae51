import { embedTerms } from '../answers/embed-terms.ts'
import { countTokens } from '../answers/tokenize.ts'
import { checkPrompt } from './model-limits.ts'
import { integerIn, missing, wrongType, wrongValue } from './read-fields.ts'
import type { Call, Reply } from './reply.ts'
import { reportedUsage, usageOf } from './usage.ts'
import { WireError } from './wire-error.ts'

/** Length of an embedding when the request sets none. */
const defaultDimensions = 256

interface EmbeddingInput {
  terms: readonly string[]
  tokens: number
}

/** POST /v1/embeddings. */
export function answerEmbeddings(call: Call): Reply {
  const { body } = call
  const inputs = readInputs(body.input ?? null)
  const dimensions = integerIn(body, 'dimensions', 1, 3_072) ?? defaultDimensions
  const format = body.encoding_format ?? 'float'
  if (format !== 'float' && format !== 'base64') throw wrongValue('encoding_format', format, ['float', 'base64'])
  for (const { tokens } of inputs) checkPrompt(tokens, call.model, 'input')
  const prompt = inputs.reduce((sum, input) => sum + input.tokens, 0)
  const usage = usageOf(prompt, 0, null)
  const reported = reportedUsage(usage, call.behaviour)
  const data = inputs.map((input, index) => {
    const vector = embedTerms(input.terms, dimensions)
    return { object: 'embedding', index, embedding: format === 'float' ? Array.from(vector) : base64Of(vector) }
  })
  const counts = reported === null ? {} : { usage: { prompt_tokens: reported.prompt, total_tokens: reported.prompt } }
  const text = JSON.stringify({ object: 'list', data, model: call.model.id, ...counts })
  return { kind: 'json', status: 200, body: text, tokens: 0, usage }
}

function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}

function readInputs(input: unknown): readonly EmbeddingInput[] {
  if (input === null) throw missing('input')
  if (!Array.isArray(input)) return [readInput(input, 'input')]
  if (input.length === 0 || input.length > 2_048) {
    throw new WireError(400, "Invalid 'input': expected an array of 1 to 2048 items.", { param: 'input' })
  }
  return typeof input[0] === 'number'
    ? [readInput(input, 'input')]
    : input.map((item, index) => readInput(item, `input[${index}]`))
}

function readInput(item: unknown, path: string): EmbeddingInput {
  if (typeof item === 'string' && item !== '') return { terms: termsOf(item), tokens: countTokens(item) }
  if (Array.isArray(item) && item.length > 0 && item.every((token) => Number.isInteger(token) && token >= 0)) {
    return { terms: item.map((token) => `#${token}`), tokens: item.length }
  }
  if (item === '') throw new WireError(400, `Invalid '${path}': input cannot be an empty string.`, { param: 'input' })
  throw wrongType(path, 'a string or an array of token integers', item)
}

function termsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]
}
