import { type Job, type Jobs, redactBatch } from './redaction-task.ts'
import type { Redacted, Redactor } from './redactor.ts'

/** Redacts like the thread, but in the test's own process. */
export const inlineRedactor: Redactor = {
  captures: redactInline('captures'),
  exchanges: (_workspaceId, exchanges) => redactInline('exchanges')(exchanges),
  spans: (_workspaceId, spans) => redactInline('spans')(spans),
  examples: (_workspaceId, examples) => redactInline('examples')(examples),
}

function redactInline<J extends Job>(job: J) {
  return async (items: readonly Parameters<Jobs[J]>[0][]) =>
    redactBatch({ job, items, at: new Int32Array(new SharedArrayBuffer(4)) }) as Redacted<ReturnType<Jobs[J]>>[]
}
