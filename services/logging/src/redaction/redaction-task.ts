import type { RawContent } from '../domain/raw-exchange.ts'
import { readCapture } from '../domain/read-capture.ts'
import { redactExchange, redactKnown } from '../domain/redact/redact-exchange.ts'
import type { CapturedRow, Redacted, RedactedExample, SpanTexts, WrittenExchange } from '../domain/redactor.ts'
import { toLoggedExchange } from '../domain/to-logged-exchange.ts'

/** A batch on its way to the thread. */
export interface RedactionTask {
  readonly job: Job
  readonly items: readonly unknown[]
  /** The thread writes here which item it is at, for whoever has to know what it died over. */
  readonly at: Int32Array
}

const jobs = {
  captures: ({ id, captured }: CapturedRow) => toLoggedExchange(readCapture(withBuffers(captured), id)),
  exchanges: ({ known, content }: WrittenExchange) =>
    toLoggedExchange({ ...known, content: JSON.parse(content) as RawContent }),
  spans: redactSpan,
  examples: redactExample,
} as const

export type Jobs = typeof jobs
export type Job = keyof Jobs

/** What the thread does with a batch. One item that cannot be redacted costs itself alone. */
export function redactBatch({ job, items, at }: RedactionTask): Redacted<unknown>[] {
  const work = jobs[job] as (item: unknown) => unknown
  return items.map((item, index) => {
    Atomics.store(at, 0, index)
    try {
      return { kind: 'done', value: work(item) }
    } catch (error) {
      // Its cause may quote the text.
      return { kind: 'failed', reason: error instanceof RangeError ? error.message : `not redacted: ${nameOf(error)}` }
    }
  })
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}

/** Bytes that come from another thread are no Buffers. */
function withBuffers({ meta, request, reply }: CapturedRow['captured']): CapturedRow['captured'] {
  return { meta, request: toBuffer(request), reply: toBuffer(reply) }
}

export function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function redactSpan({ name, kind, attributes }: SpanTexts): SpanTexts {
  // What a span is called may say more than a name: `GET https://ann:secret@…`.
  const { content, identifiers } = redactKnown({ title: name, attributes: JSON.parse(attributes) }, { kind })
  return { name: content.title, kind: identifiers.kind, attributes: JSON.stringify(content.attributes) }
}

function redactExample(text: string): RedactedExample {
  const { redaction, ...clean } = redactExchange(JSON.parse(text) as object)
  return { text: redaction.count === 0 ? null : JSON.stringify(clean), redaction }
}
