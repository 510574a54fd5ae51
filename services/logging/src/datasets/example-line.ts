import { createHash, hash } from 'node:crypto'
import { estimateTokens } from './digest-exchange.ts'
import type { Message } from './stored-exchange.ts'

/** A training example: a conversation whose last message is the answer to learn. */
export interface TrainingExample {
  readonly messages: readonly Message[]
  readonly tools?: readonly unknown[] | undefined
  readonly parallel_tool_calls?: boolean | undefined
}

/** An example as a line of JSONL, the form in which it is stored, counted, hashed and returned. */
export interface ExampleLine {
  readonly text: string
  /** SHA-256 of the text, in hex. */
  readonly sha256: string
  /** Bytes of the text and its line end. */
  readonly bytes: number
}

export function exampleLine({ messages, tools, parallel_tool_calls }: TrainingExample): ExampleLine {
  return lineOf(JSON.stringify({ messages, tools, parallel_tool_calls }))
}

/** The line of an example that is given as JSON. */
export function lineOf(text: string): ExampleLine {
  return { text, sha256: hash('sha256', text, 'hex'), bytes: Buffer.byteLength(text) + 1 }
}

/** Totals of the examples of a dataset. */
export interface ContentTotals {
  readonly exampleCount: number
  readonly tokenCountEstimate: number
  readonly sizeBytes: number
  /** SHA-256 of the JSONL file with every example in order, as `sha256sum` prints it for the export. */
  readonly sha256: string
}

/** Sums up lines in the order in which they are added. */
export function contentTotals(): { add(line: ExampleLine): void; read(): ContentTotals } {
  const content = createHash('sha256')
  const totals = { exampleCount: 0, tokenCountEstimate: 0, sizeBytes: 0 }
  return {
    add({ text, bytes }) {
      content.update(text).update('\n')
      totals.exampleCount += 1
      totals.tokenCountEstimate += estimateTokens(bytes)
      totals.sizeBytes += bytes
    },
    read: () => ({ ...totals, sha256: content.copy().digest('hex') }),
  }
}
