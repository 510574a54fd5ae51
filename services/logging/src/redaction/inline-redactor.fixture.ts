import type { Redactor } from '../domain/redactor.ts'
import { type Job, redactBatch } from './redaction-task.ts'

/** Redacts as the thread does, without one. */
export const inlineRedactor: Redactor = {
  captures: redactInline('captures'),
  exchanges: redactInline('exchanges'),
  spans: redactInline('spans'),
  examples: redactInline('examples'),
}

function redactInline<J extends Job>(job: J): Redactor[J] {
  return (async (items: readonly unknown[]) =>
    redactBatch({ job, items, at: new Int32Array(new SharedArrayBuffer(4)) })) as unknown as Redactor[J]
}
