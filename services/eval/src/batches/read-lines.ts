import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type BatchEndpoint,
  type BatchError,
  maxBatchErrors,
  maxBatchLineBytes,
  maxBatchLines,
} from '@ratchet/contracts/batches'
import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { storable } from '@ratchet/contracts/storable'
import { requestLimits } from '@ratchet/service-kit/json/request-limits'
import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { allLines } from '@ratchet/service-kit/values/json-lines'
import { z } from 'zod'
import type { BatchRequest } from './batch.ts'

const Line = z.looseObject({
  custom_id: storable(z.string().min(1).max(512)),
  method: z.literal('POST'),
  url: z.string(),
  body: z.looseObject({}),
})

/** A line that can be run, or what is wrong with it. */
export type ReadLine = { readonly request: BatchRequest } | { readonly error: BatchError }

/** Bytes of lines that are read in one turn of the event loop. */
const turnBytes = 64 * kibibyte

/** Reads the lines of a file for an endpoint. It ends at the line that is one too many, and after too many errors. */
export async function* readLines(
  content: AsyncIterable<Uint8Array>,
  endpoint: BatchEndpoint,
): AsyncGenerator<ReadLine> {
  const seen = new Set<string>()
  let [lines, errors, bytes] = [0, 0, 0]
  for await (const { number: line, text } of allLines(content, maxBatchLineBytes)) {
    lines += 1
    bytes += text?.length ?? turnBytes
    if (bytes > turnBytes) {
      bytes = 0
      await nextTurn()
    }
    if (lines > maxBatchLines) {
      const message = `A batch has at most ${maxBatchLines.toLocaleString('en-US')} lines.`
      yield { error: { code: 'too_many_lines', message, param: null, line } }
      return
    }
    const read = readLine({ line, text, endpoint, seen })
    yield read
    if ('error' in read) errors += 1
    if (errors >= maxBatchErrors) return
  }
  if (lines === 0) yield { error: { code: 'empty_file', message: 'The file has no lines.', param: null, line: null } }
}

interface FoundLine {
  readonly line: number
  /** Null for one that is too long. */
  readonly text: string | null
  readonly endpoint: BatchEndpoint
  /** Adds the custom id. */
  readonly seen: Set<string>
}

/** A line has a level more than the request in it. */
const limits = { ...requestLimits, maxDepth: requestLimits.maxDepth + 1 }

function readLine({ line, text, endpoint, seen }: FoundLine): ReadLine {
  const wrong = (code: string, message: string, param: string | null = null) => ({
    error: { code, message, param, line },
  })
  if (text === null) return wrong('line_too_large', `A line has at most ${maxBatchLineBytes} bytes.`)
  const bytes = Buffer.from(text)
  const scan = scanJson(bytes, limits)
  if (!scan.ok && scan.reason === 'not_an_object') return wrong('invalid_request', 'The line must be an object.')
  const parsed = scan.ok ? parse(text) : undefined
  if (parsed === undefined) return wrong('invalid_json_line', 'The line is not valid JSON, or nested too deep.')
  const { data, error } = Line.safeParse(parsed)
  if (data === undefined) {
    const [issue] = error.issues
    return wrong('invalid_request', issue?.message ?? 'The line is wrong.', issue?.path.join('.') || null)
  }
  if (data.url !== endpoint) return wrong('mismatched_endpoint', `The batch is for ${endpoint}.`, 'url')
  if (seen.has(data.custom_id)) return wrong('duplicate_custom_id', 'An earlier line has this custom_id.', 'custom_id')
  seen.add(data.custom_id)
  const place = scan.ok ? scan.topLevel.get('body') : undefined
  if (place === undefined) throw new Error('a line that was read has a body')
  // As it was sent, so that no number of it changes.
  const body = bytes.toString('utf8', place.start, place.end)
  return { request: { line, customId: data.custom_id, body } }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
