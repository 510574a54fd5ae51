import { parseExact } from '@ratchet/service-kit/values/exact-json'
import { readCapture } from '../capture/read-capture.ts'
import type { RawContent } from '../exchanges/raw-exchange.ts'
import { redactExchange, redactKnown } from './redact-exchange.ts'
import type { IdentifiedCapture, Redacted, RedactedExample, SpanTexts, WrittenExchange } from './redactor.ts'
import { toLoggedExchange } from './to-logged-exchange.ts'

/** A batch of items for the thread. */
export interface RedactionTask {
  readonly job: Job
  readonly items: readonly unknown[]
  /** The thread writes the index of the current item here, so that the parent knows at which item it died. */
  readonly at: Int32Array
}

const jobs = {
  captures: ({ id, captured }: IdentifiedCapture) => toLoggedExchange(readCapture(withBuffers(captured), id)),
  exchanges: ({ known, content }: WrittenExchange) =>
    toLoggedExchange({ ...known, content: parseExact(content) as RawContent }),
  spans: redactSpan,
  examples: redactExample,
} as const

export type Jobs = typeof jobs
export type Job = keyof Jobs

/** Runs in the thread. An item that cannot be redacted fails alone. */
export function redactBatch({ job, items, at }: RedactionTask): Redacted<unknown>[] {
  const work = jobs[job] as (item: unknown) => unknown
  return items.map((item, index) => {
    Atomics.store(at, 0, index)
    try {
      return { kind: 'done', value: work(item) }
    } catch (error) {
      // Other errors are named only, because their message may quote the text.
      return { kind: 'failed', reason: error instanceof RangeError ? error.message : `not redacted: ${nameOf(error)}` }
    }
  })
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}

/** Restores Buffers: bytes from another thread arrive as plain Uint8Arrays. */
function withBuffers({ meta, request, reply }: IdentifiedCapture['captured']): IdentifiedCapture['captured'] {
  return { meta, request: toBuffer(request), reply: toBuffer(reply) }
}

export function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function redactSpan({ name, kind, attributes }: SpanTexts): SpanTexts {
  // The name is redacted like content, because it may hold a URL: `GET https://ann:secret@…`.
  const { content, identifiers } = redactKnown({ title: name, attributes: parseExact(attributes) }, { kind })
  return { name: content.title, kind: identifiers.kind, attributes: JSON.stringify(content.attributes) }
}

function redactExample(text: string): RedactedExample {
  const { redaction, ...clean } = redactExchange(parseExact(text) as object)
  return { text: redaction.count === 0 ? null : JSON.stringify(clean), redaction }
}
