import type { CatalogModel } from '../catalog/catalog.ts'
import type { PromptShape } from '../pricing/prompt-shape.ts'
import type { Body, Dialect } from '../wire/dialect.ts'
import type { ProviderReply, ProviderRequest } from '../wire/provider.ts'
import type { SseEvent } from '../wire/sse/read-event.ts'
import type { Usage } from '../wire/usage.ts'

/** What the gateway has to know of a request, whatever its dialect. */
export interface RequestFacts {
  /** The models it names, the most wanted first, none twice; never empty. */
  readonly models: readonly string[]
  readonly stream: boolean
  /** Whether the client asked for the usage chunk of a chat stream. */
  readonly includeUsage: boolean
  /** Answers asked for, 1..128. */
  readonly n: number
  /** The most tokens it lets one answer have; null when it sets no limit. */
  readonly maxTokens: number | null
  /** The most search units it can use; 0 but for rerank. */
  readonly searches: number
  readonly prompt: PromptShape
}

/** What an answer turned out to be. */
export interface Charged {
  /** What was charged for. */
  readonly usage: Usage
  /** False: the provider did not say (or said nonsense), so `usage` is our own count. */
  readonly reported: boolean
  readonly chargedNano: bigint
}

/** What an answer's bytes are made with. */
export interface AnswerContext {
  /** As it went to the model that serves it. */
  readonly request: ProviderRequest
  readonly facts: RequestFacts
  /** Unix seconds. */
  readonly created: number
}

/** What a kept answer is given again with: whoever answered it need not be there any more. */
export type ReplayContext = Pick<AnswerContext, 'facts' | 'created'>

/**
 * What to do with a frame of a provider's stream:
 * `forward` it as it is · a `Buffer`: send that in its place · `hold` it back until the charge is committed (what ends
 * the answer, and what has only usage) · `skip` it: it says nothing and would trouble a client ·
 * `error`: the provider says that it failed · `malformed`: it cannot be read.
 */
export type Verdict = 'forward' | 'hold' | 'skip' | 'error' | 'malformed' | Buffer

/** Follows one streamed answer, which is in the surface's own dialect. */
export interface StreamTracker {
  /** Never throws, whatever the provider sent. */
  accept(event: SseEvent): Verdict
  /** The mark that ends the dialect's streams has come. */
  readonly done: boolean
  /** Everything that was begun has ended, though that mark may be missing. */
  readonly finished: boolean
  /** As the provider gave it last; null while it has not. */
  readonly usage: Usage | null
  /** Pieces of text that the model wrote: content, refusals, reasoning, tool names and arguments. */
  readonly pieces: readonly string[]
  /** Characters of those pieces. */
  readonly characters: number
  /** What the provider said with the verdict `error`. */
  readonly errorMessage: string | null
  /** The frames that were held back, with the cost in them; they end the stream. */
  tail(charged: Charged): string
  /** The whole answer as it would have come unstreamed, without a cost; null when it cannot be told. */
  assemble(): Buffer | null
}

/** One public inference endpoint: how its bodies are read, and how its answers look. Pure. */
export interface Surface {
  readonly dialect: Dialect
  readonly serves: CatalogModel['kind']
  /** @throws ServiceError naming the field that is wrong */
  readFacts(body: Body): RequestFacts
  /** A parameter of the body that the model would not honour, by its path; null when there is none. */
  unsupportedParameter(model: CatalogModel, body: Body): string | null
  /** A whole answer as the client gets it: with its cost, and with our counts where the provider gave none. */
  finishReply(reply: Pick<ProviderReply, 'bytes' | 'scan'>, charged: Charged, context: AnswerContext): Buffer
  /** Null for a surface that never streams. */
  readonly stream: StreamSurface | null
  /** What a client reads once the head of a stream was sent; in the dialect, and holding the envelope's `error`. */
  errorFrame(envelope: { readonly error: object }): string
}

export interface StreamSurface {
  /** Bytes of the largest event that is read; a larger one ends the answer as malformed. */
  readonly maxEventBytes: number
  createTracker(context: AnswerContext): StreamTracker
  /** The whole stream, its end included, that tells an answer which was kept unstreamed. */
  replay(reply: Pick<ProviderReply, 'bytes' | 'scan'>, charged: Charged, context: ReplayContext): string
}
