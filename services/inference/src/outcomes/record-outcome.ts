import type { RequestOutcome } from '@ratchet/contracts/failure-causes'
import { redactIdentifier, redactOptional } from '@ratchet/redaction/redact-identifier'
import type { FailedRequest, OutcomeCounts } from './count-outcomes.ts'
import type { OutcomeNotes } from './outcome-notes.ts'
import { redactMessage, storableText } from './redact-message.ts'

/** A request of a client that is over. */
export interface OverRequest {
  readonly notes: OutcomeNotes
  readonly outcome: RequestOutcome
  readonly requestId: string
  readonly workspaceId: string
  readonly keyId: string | null
  readonly tag: string | null
  readonly startedAt: Date
  readonly at: Date
}

export type OutcomeRecorder = Pick<OutcomeCounts, 'ended' | 'failed'>

const maxModelCharacters = 128
/** Of a model's name that are searched for secrets: more than is kept, so that the cut hides none. */
const maxSearchedCharacters = 1_024

/** Counts a request, and keeps a row of one without a whole answer. */
export function recordOutcome(recorder: OutcomeRecorder, over: OverRequest): void {
  const { notes, outcome, requestId, workspaceId, keyId, startedAt, at } = over
  const tag = redactOptional(over.tag)
  const { provider, alias } = notes
  const isWhole = outcome === 'answered' || outcome === 'cached'
  // A model that answered has its name from the catalog.
  const named = isWhole ? notes.model : redactIdentifier(notes.model.slice(0, maxSearchedCharacters))
  const model = storableText(named.slice(0, maxModelCharacters))
  const latencyMs = Math.max(0, at.getTime() - startedAt.getTime())
  const ended = { requestId, workspaceId, keyId, outcome, at, model, provider, tag, alias, latencyMs }
  if (isWhole) recorder.ended(ended)
  else recorder.failed({ ...ended, ...failureOf(over) })
}

type OnlyFailed = Pick<FailedRequest, 'traceId' | 'upstreamStatus' | 'tries' | 'errorCode' | 'message'>

function failureOf({ notes, outcome }: OverRequest): OnlyFailed {
  const { error, failure, traceId, tries, bytes } = notes
  const left = outcome === 'client_left'
  return {
    traceId: redactOptional(traceId),
    upstreamStatus: failure?.status ?? null,
    tries,
    errorCode: left ? null : (error?.code ?? null),
    message: left || error === null ? '' : redactMessage(error.message, bytes),
  }
}
