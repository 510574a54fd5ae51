import type { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { ProviderFailure, ProviderRequest } from '../wire/provider.ts'

/** What the steps of a request learn about how it ends. They only write it; it is read when the request is over. */
export interface OutcomeNotes {
  /** The model or alias as the client named it; empty before it is known. */
  model: string
  alias: string | null
  traceId: string | null
  /** The body, so that no part of it is stored with an error. */
  bytes: Buffer | null
  /** A complete answer was sent, of a model or a stored one. */
  ended: 'answered' | 'cached' | null
  /** The client disconnected before that. */
  hasLeft: boolean
  /** What the client got instead. */
  error: ServiceError | null
  /** The rate limit that refused it. */
  limited: 'key' | 'workspace' | null
  provider: string | null
  /** The last failure of a provider, and how many calls were made. */
  failure: ProviderFailure | null
  tries: number
  /** A part of its answer did not fit into the memory share of its workspace. */
  lackedMemory: boolean
}

export function newNotes(): OutcomeNotes {
  return {
    model: '',
    alias: null,
    traceId: null,
    bytes: null,
    ended: null,
    hasLeft: false,
    error: null,
    limited: null,
    provider: null,
    failure: null,
    tries: 0,
    lackedMemory: false,
  }
}

interface EndedCall {
  readonly servedRequest: ProviderRequest
  readonly tries: number
}

/** Notes which provider was called last. */
export function noteCall(notes: OutcomeNotes, { servedRequest, tries }: EndedCall): void {
  notes.provider = servedRequest.model.provider
  notes.tries = tries
}
