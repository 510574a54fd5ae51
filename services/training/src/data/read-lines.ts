import { createHash } from 'node:crypto'
import type { TrainingDataReport } from '@ratchet/contracts/fine-tuning'
import type { FineTuningMethodName } from '@ratchet/contracts/fine-tuning-models'
import { type CountTokens, type ReadExample, readExample } from './read-example.ts'
import { maxExampleBytes, maxExamples } from './training-source.ts'

/** A line of a content: its bytes from `from`, without `to`. */
interface FoundLine {
  readonly from: number
  readonly to: number
  /** Bytes of its text in UTF-8, without white space around it. */
  readonly bytes: number
}

export type FoundExample = Extract<ReadExample, { kind: 'example' }> & FoundLine

/** What the lines of a content are. Their text stays in the content, so that it is in memory once. */
export interface ReadLines {
  readonly examples: readonly FoundExample[]
  readonly invalid: number
  readonly firstInvalid: TrainingDataReport['first_invalid']
  /** Lines that are not read because of their size. */
  readonly oversized: number
  /** Whether there are more lines than a job can have. They are not read. */
  readonly hasMore: boolean
}

export interface LineRules {
  readonly method: FineTuningMethodName
  readonly countTokens: CountTokens
}

/** Bytes of short lines between two steps, a few milliseconds of work. */
const stepBytes = 4_096

/** Reads the lines of a content without blank ones. A step takes a few milliseconds, and one with a line of 1 MB up to 50. */
export function* readLines({ method, countTokens }: LineRules, content: Buffer): Generator<void, ReadLines> {
  const examples: FoundExample[] = []
  let [invalid, oversized, hasMore] = [0, 0, false]
  let firstInvalid: TrainingDataReport['first_invalid'] = null
  let stepEnd = stepBytes
  for (let from = 0, number = 1; from < content.length && !hasMore; number += 1) {
    const to = lineEnd(content, from)
    const text = to - from > maxExampleBytes ? null : textOf(content, { from, to })
    if (text !== '' && examples.length + invalid + oversized === maxExamples) hasMore = true
    else if (text === null) oversized += 1
    else if (text !== '') {
      const example = readExample(text, method, countTokens)
      if (example.kind === 'example') examples.push({ ...example, from, to, bytes: Buffer.byteLength(text) })
      else {
        invalid += 1
        firstInvalid ??= { line: number, message: example.message }
      }
    }
    from = to + 1
    if (from < stepEnd) continue
    stepEnd = from + stepBytes
    yield
  }
  return { examples, invalid, firstInvalid, oversized, hasMore }
}

/** Some lines of a content. */
export interface ChosenLines {
  readonly content: Buffer
  readonly lines: readonly FoundLine[]
}

/** Copies lines, each with an end of line, in steps of a few milliseconds. */
export function* copyLines({ content, lines }: ChosenLines): Generator<void, Buffer> {
  const copy = Buffer.alloc(lines.reduce((total, { bytes }) => total + bytes + 1, 0))
  let [end, stepEnd] = [0, hashedBytes]
  for (const line of lines) {
    end += copy.write(`${textOf(content, line)}\n`, end)
    if (end < stepEnd) continue
    stepEnd = end + hashedBytes
    yield
  }
  return copy
}

/** Bytes that are hashed in a step, which takes a few milliseconds. */
const hashedBytes = 1_048_576

/** SHA-256 in hex, in steps. */
export function* sha256InSteps(bytes: Buffer): Generator<void, string> {
  const hash = createHash('sha256')
  for (let from = 0; from < bytes.length; from += hashedBytes) {
    hash.update(bytes.subarray(from, from + hashedBytes))
    yield
  }
  return hash.digest('hex')
}

function lineEnd(content: Buffer, from: number): number {
  const end = content.indexOf(0x0a, from)
  return end === -1 ? content.length : end
}

function textOf(content: Buffer, { from, to }: Pick<FoundLine, 'from' | 'to'>): string {
  return content
    .toString('utf8', from, to)
    .replace(/^\uFEFF/, '')
    .trim()
}
