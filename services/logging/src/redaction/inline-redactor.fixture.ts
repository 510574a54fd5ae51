import { type Job, redactBatch } from './redaction-task.ts'
import type { Redactor } from './redactor.ts'

/** Redacts like the thread, but in the test's own process. */
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
