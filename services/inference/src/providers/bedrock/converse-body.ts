/** The content blocks of Converse that the gateway sends. Exactly one member is set. */
export type ContentBlock =
  | { readonly text: string }
  | { readonly image: { readonly format: string; readonly source: Bytes } }
  | { readonly document: { readonly format: string; readonly name: string; readonly source: Bytes } }
  | { readonly reasoningContent: ReasoningContent }
  | { readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: unknown } }
  | { readonly toolResult: { readonly toolUseId: string; readonly content: readonly ContentBlock[] } }
  | CachePoint

/** `redactedContent` is base64 text. */
type ReasoningContent =
  | { readonly reasoningText: { readonly text: string; readonly signature: string } }
  | { readonly redactedContent: string }

export type SystemBlock = { readonly text: string } | CachePoint

/** Everything before it is to be cached. */
export interface CachePoint {
  readonly cachePoint: { readonly type: 'default' }
}

/** Base64 text. */
interface Bytes {
  readonly bytes: string
}

export interface ConverseMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly ContentBlock[]
}

export interface ToolSpec {
  readonly name: string
  readonly description?: string
  readonly inputSchema: { readonly json: unknown }
  readonly strict?: true
}

export interface ToolConfig {
  readonly tools: readonly ({ readonly toolSpec: ToolSpec } | CachePoint)[]
  readonly toolChoice?:
    | { readonly auto: object }
    | { readonly any: object }
    | { readonly tool: { readonly name: string } }
}

/** The body of `POST /model/{modelId}/converse` and `/converse-stream`, with the members that the gateway uses. */
export interface ConverseBody {
  readonly messages: readonly ConverseMessage[]
  readonly system?: readonly SystemBlock[]
  readonly inferenceConfig?: InferenceConfig
  readonly toolConfig?: ToolConfig
  readonly outputConfig?: { readonly textFormat: TextFormat }
  /** Parameters of the model itself, as `reasoningFields` returns them. */
  readonly additionalModelRequestFields?: Readonly<Record<string, unknown>>
}

export interface InferenceConfig {
  readonly maxTokens?: number
  readonly temperature?: unknown
  readonly topP?: unknown
  readonly stopSequences?: readonly string[]
}

export interface TextFormat {
  readonly type: 'json_schema'
  readonly structure: {
    /** `schema` is JSON text. */
    readonly jsonSchema: { readonly schema: string; readonly name?: string; readonly description?: string }
  }
}
