/** How an exchange came into the log. */
export type ExchangeSource = 'gateway' | 'otlp' | 'import'

/** A row of the log without its content. */
export interface LoggedExchange {
  /** UUID; `log_` and its hex digits are its public id. */
  readonly id: string
  readonly workspaceId: string
  /** UUID of the request at the gateway; for spans and imports a UUID derived from the ids or the content. */
  readonly requestId: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly source: ExchangeSource
  readonly servedModel: string
  readonly requestedModel: string
  readonly provider: string
  readonly alias: string | null
  readonly canary: boolean
  readonly fallbackFrom: string | null
  readonly tag: string | null
  readonly traceId: string | null
  readonly spanId: string | null
  readonly parentSpanId: string | null
  readonly conversationId: string | null
  /** Family of the system prompt, `none` without one. */
  readonly segment: string
  /** Hash of the exact system prompt, `none` without one. */
  readonly segmentExact: string
  readonly finishReason: string | null
  readonly stream: boolean
  readonly cached: boolean
  readonly hasToolCalls: boolean
  readonly promptTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number | null
  /** Nano-dollars; null when nothing was charged. */
  readonly costNano: bigint | null
  readonly latencyMs: number
  readonly ttftMs: number | null
  readonly redactionCount: number
  readonly redactionKinds: readonly string[]
  /** Bytes of the JSON of messages, tools and response, before redaction. */
  readonly sizeBytes: number
  /** SHA-256 of the messages before the answer. */
  readonly promptHash: Buffer
}

/** The content of an exchange as JSON texts, redacted. */
export interface ExchangeContent {
  readonly messages: string
  /** The assistant's message. */
  readonly response: string
  readonly tools: string | null
  readonly responseFormat: string | null
  /** Sampling parameters of the request that were set. */
  readonly params: string
}

export interface WholeExchange extends LoggedExchange {
  readonly content: ExchangeContent
  /** The block with its content; null when the content has its own row. */
  readonly blockId: string | null
  /** What `exchangeWords` returns. */
  readonly words: BigInt64Array
}
