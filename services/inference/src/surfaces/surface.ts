import type { JsonEdits } from '@ratchet/service-kit/json/edit-json'
import type { SseEvent } from '@ratchet/service-kit/sse/read-event'
import type { CatalogModel } from '../catalog/catalog.ts'
import type { TextCollector } from '../pricing/generated-text.ts'
import type { PromptShape } from '../pricing/prompt-shape.ts'
import type { AnswerLimits } from '../wire/answer-limits.ts'
import type { Body, Dialect } from '../wire/dialect.ts'
import type { Leniency } from '../wire/leniency.ts'
import type { ProviderRequest, ReplyBytes } from '../wire/provider.ts'
import type { HostedCalls, Usage } from '../wire/usage.ts'

/** The fields of a request that the gateway acts on, in the same form for every dialect. */
export interface RequestFacts {
  /** The model or alias that the client wrote. */
  readonly requestedModel: string
  /** The models or aliases that the request names to answer in its place, in order. */
  readonly fallbackModels: readonly string[]
  readonly stream: boolean
  /** True when the client requests the usage chunk of a chat stream. */
  readonly includeUsage: boolean
  /** Number of requested answers, 1..128. */
  readonly n: number
  /** Maximum tokens of one answer; null when the request sets no limit. */
  readonly maxTokens: number | null
  /** Maximum search units that the request can use; 0 except for rerank. */
  readonly searches: number
  /**
   * The images, characters or seconds of sound of the request: the most that they can be, and what they usually are. Absent
   * for a surface whose models are not priced so.
   */
  readonly units?: { readonly most: number; readonly usual: number }
  readonly prompt: PromptShape
}

/** The usage of a complete answer, with its charge. */
export interface Charged {
  readonly usage: Usage
  /** True when the provider reported `usage`; false when it was counted here, because the provider gave no sound one. */
  readonly isReported: boolean
  readonly chargedNano: bigint
  /** When the answer was complete, Unix seconds; absent when that is the `created` of its context. */
  readonly completedAt?: number
  /**
   * The session that the client named. Only for the answer that is sent: the same stored answer may be sent in another
   * session.
   */
  readonly conversationId?: string | null
}

/** The data with which a surface finishes an answer. */
export interface AnswerContext {
  /** The request to the model that answered. */
  readonly request: ProviderRequest
  readonly facts: RequestFacts
  /** Unix seconds. */
  readonly created: number
}

/** The data with which a stored answer is replayed. The model that gave it may have left the catalog. */
export type ReplayContext = Pick<AnswerContext, 'facts' | 'created'>

/**
 * What the gateway does with a frame of a provider's stream:
 *
 * - `forward`: it is sent as it is.
 * - a `Buffer`: that is sent in its place.
 * - `hold`: it is held back until the charge is committed, because it ends the answer or has only usage.
 * - `skip`: it is dropped, because it has no content and some clients cannot read it.
 * - `error`: the provider reports that it failed.
 * - `malformed`: it cannot be read.
 */
export type FrameAction = 'forward' | 'hold' | 'skip' | 'error' | 'malformed' | Buffer

/** Reads one streamed answer, which is in the surface's own dialect. */
export interface StreamTracker {
  /** Never throws, whatever the provider sent. */
  accept(event: SseEvent): FrameAction
  /** True after the frame that ends a stream of the dialect. */
  readonly done: boolean
  /** True when every part of the answer has ended, even if the last frame of the stream is missing. */
  readonly finished: boolean
  /** The usage that the provider reported last; null before the first report. */
  readonly usage: Usage | null
  /** True when the answer has ended and the model generated nothing after the provider reported `usage`. */
  readonly isUsageFinal: boolean
  /** What the model generated: content, refusals, reasoning, tool names and arguments. */
  readonly generated: TextCollector
  /** Calls of the provider's own tools that have ended without an error so far. */
  readonly hostedCalls?: HostedCalls
  /** Those that began and have not ended: the provider may charge for them, or they may fail. */
  readonly openCalls?: HostedCalls
  /** The provider's message after the action `error`. */
  readonly errorMessage: string | null
  /** True when the answer takes more memory than its record may, so that it is not recorded. */
  readonly isFull: boolean
  /** The frames that were held back, with the cost added. They end the stream. */
  tail(charged: Charged): string
  /**
   * The complete answer in its unstreamed form, without a cost; null when it cannot be assembled, or takes too much
   * memory. Without its content when the tracker does not record it.
   */
  assemble(): Buffer | null
}

/** How a stream is recorded for its completion hooks. */
export interface Recording {
  /** False when no completion hook needs the content of the answer. */
  readonly recordsContent: boolean
  readonly reserve: AnswerLimits['reserve']
}

/** One public inference endpoint: it reads request bodies and writes answers of its dialect. Pure. */
export interface Surface {
  readonly dialect: Dialect
  readonly serves: CatalogModel['kind']
  /** @throws ServiceError naming the field that is wrong */
  readFacts(body: Body): RequestFacts
  /** The path of a parameter that the model does not support; null when it supports all of the body. */
  unsupportedParameter(model: CatalogModel, body: Body): string | null
  /**
   * The edits that remove what a provider would run beside the model and charge for separately, because the catalog has
   * no price for it. Absent for a surface whose adapters decide that.
   *
   * @throws Refusal naming what would be removed, when there is no leniency or when the answer must come from it
   */
  withoutUnpriced?(body: Body, leniency: Leniency | undefined): JsonEdits
  /** The answer as the client gets it, with its cost, and with the counted usage if the provider reported none. */
  finishReply(reply: ReplyBytes, charged: Charged, context: AnswerContext): Buffer
  /** Null for a surface that never streams. */
  readonly stream: StreamSurface | null
  /** The frame that reports an error after the stream began, in the dialect, with the envelope's `error`. */
  errorFrame(envelope: { readonly error: object }): string
}

export interface StreamSurface {
  createTracker(context: AnswerContext, recording: Recording): StreamTracker
  /** A complete stream of a stored answer, including the frames that end it. */
  replay(reply: ReplyBytes, charged: Charged, context: ReplayContext): string
}
