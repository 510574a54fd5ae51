import type { Identity } from '@ratchet/contracts/identity'
import type { ServedRequest, ServedResponse } from '@ratchet/service-kit/http/served'
import type { OutcomeNotes } from '../outcomes/outcome-notes.ts'
import type { RequestFacts, Surface } from '../surfaces/surface.ts'
import type { RequestHints } from '../wire/provider.ts'
import type { AliasRoute } from '../workspace-settings/alias-route.ts'
import type { WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import type { ArmWatch } from './arm-watch.ts'
import type { Billing } from './billing.ts'
import type { Candidates } from './call-models.ts'
import type { CompletionHook } from './completion-hooks.ts'
import type { InternalCall } from './internal-call.ts'
import type { ParsedBody } from './parse-body.ts'

/** A request whose body was parsed and checked. Nothing is reserved or counted for it yet. */
export interface ParsedRequest extends ParsedBody {
  /** The HTTP request; later steps read its headers. */
  readonly httpRequest: ServedRequest
  /** The HTTP response that the answer is written to. */
  readonly httpResponse: ServedResponse
  /** What is known about how the request ends. */
  readonly notes: OutcomeNotes
  /** The time at which the request arrived. Latencies are measured from here. */
  readonly startedAt: Date
  /** The id of the HTTP request, which is in the client's `X-Request-Id`, in errors and in log lines. */
  readonly requestId: string
  /** The workspace, the user and the API key that the request is made for. */
  readonly identity: Identity
  /** Why the fleet itself makes the request; null for a request of a client. */
  readonly internalCall: InternalCall | null
  /** The public endpoint that the request came to. It decides the wire format of the answer. */
  readonly surface: Surface
  /** The fields of the body that the gateway acts on. */
  readonly facts: RequestFacts
  /** The settings of the workspace, as they apply to this request. */
  readonly settings: WorkspaceSettings
  /** The alias that the requested model names; null when it names a model of the catalog. */
  readonly alias: AliasRoute | null
  /** The prompt family of the request; null while no alias has rules for families, or when it is not known. */
  readonly segment: string | null
  /** True when the prompt contains a stored response that must not be logged. */
  readonly containsUnlogged: boolean
  /** The agent run that the request belongs to; null when the client named none. */
  readonly traceId: string | null
  /** The session that the client named, which its answer names too; null when it named none. */
  readonly conversationId: string | null
  /**
   * Reserves memory for what is added to the body, until the request ends.
   *
   * @throws ServiceError `service_unavailable` when the share of the workspace is used up
   */
  readonly reserveBody: (bytes: number) => void
  /** See `AnswerLimits.reserve`. */
  readonly reserveAnswer: (bytes: number) => boolean
  /** True when the client wants a refusal instead of a request without its labels. */
  readonly isStrict: boolean
  /** Headers that change how a provider answers; undefined when the client sent none. */
  readonly hints: RequestHints | undefined
}

/** A parsed request together with the models that may answer it. */
export interface PlannedRequest extends ParsedRequest {
  /** The id that the request is charged under. It differs from `requestId` only under an `Idempotency-Key`. */
  readonly billingId: string
  /**
   * True when the request has an idempotency key. It is then answered to the end even if its client disconnects,
   * because a retry replays that answer, and a partial answer is not charged.
   */
  readonly isKeyed: boolean
  /** The models that may answer, the requested one first. */
  readonly candidates: Candidates
}

/** A planned request whose maximum cost is reserved in the ledger. A model can be called for it. */
export interface FundedRequest extends PlannedRequest {
  /** Ends the reservation, either with a charge or with a release. */
  readonly billing: Billing
  /** `miss` when the response cache was searched without success, `off` when it was not searched. */
  readonly cacheStatus: 'miss' | 'off'
  /** Is called once: with the complete answer, or when there will be none. Null when no part needs it. */
  readonly completionHook: Required<CompletionHook> | null
  /** Counts how the arm of the alias performs; null when the client named a model. */
  readonly arm: ArmWatch | null
}
