import type { Usage } from '../usage.ts'

/** The finish reasons of OpenAI. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON text. */
  readonly arguments: string
  /** Members that the client must send back with the call, for providers that require it. */
  readonly extraContent?: object
}

/** The answer of another dialect, in the terms of a chat completion. */
export interface WrittenMessage {
  readonly text: string | null
  /** Reasoning in clear text, if the provider returns it. */
  readonly reasoning?: string | null
  /** Signed or encrypted reasoning, which the client must send back unchanged; absent or empty when there is none. */
  readonly reasoningDetails?: readonly object[]
  readonly refusal?: string | null
  readonly toolCalls: readonly ToolCall[]
  readonly finishReason: FinishReason
}

export interface ChatHead {
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  /** The model's name at the provider. */
  readonly model: string
}

/** Writes the JSON of a chat completion. */
export function writeChatReply(head: ChatHead, message: WrittenMessage, usage: Usage | null): Buffer {
  const { text, reasoning, reasoningDetails = [], refusal, toolCalls, finishReason } = message
  return Buffer.from(
    JSON.stringify({
      id: head.id,
      object: 'chat.completion',
      created: head.created,
      model: head.model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: text,
            refusal: refusal ?? null,
            ...(reasoning === undefined || reasoning === null ? {} : { reasoning_content: reasoning }),
            ...(reasoningDetails.length === 0 ? {} : { reasoning_details: reasoningDetails }),
            ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(wireToolCall) }),
          },
          logprobs: null,
          finish_reason: finishReason,
        },
      ],
      ...(usage === null ? {} : { usage: wireUsage(usage) }),
    }),
  )
}

/** Writes the frames of a chat completion stream with one choice. A long text is split into several frames. */
export interface ChunkWriter {
  /** The first frame, with the role. */
  role(): string
  text(piece: string): string
  reasoning(piece: string): string
  /** Writes all reasoning details in one frame, because clients do not assemble pieces of them. */
  reasoningDetails(details: readonly object[]): string
  refusal(piece: string): string
  /**
   * Begins a tool call; its arguments follow.
   *
   * @param index 0, 1, … in the order of the calls
   */
  toolCall(index: number, call: Omit<ToolCall, 'arguments'>): string
  toolArguments(index: number, piece: string): string
  finish(reason: FinishReason): string
  /** The usage chunk. The gateway needs it even when the client does not request it. */
  usage(usage: Usage): string
  done(): string
  /** Reports that the provider failed or sent unreadable data. No frame may follow. */
  error(message: string): string
}

export function createChunkWriter({ id, created, model }: ChatHead): ChunkWriter {
  const chunk = (more: object) => frame({ id, object: 'chat.completion.chunk', created, model, ...more })
  const choice = (delta: object, finish_reason: FinishReason | null = null) =>
    chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason }] })
  const tool = (index: number, more: object) => choice({ tool_calls: [{ index, ...more }] })
  return {
    role: () => choice({ role: 'assistant', content: '' }),
    text: inFrames((content) => choice({ content })),
    reasoning: inFrames((reasoning_content) => choice({ reasoning_content })),
    reasoningDetails: (reasoning_details) => choice({ reasoning_details }),
    refusal: inFrames((refusal) => choice({ refusal })),
    toolCall: (index, call) => tool(index, wireToolCall({ ...call, arguments: '' })),
    toolArguments: (index, whole) => inFrames((piece) => tool(index, { function: { arguments: piece } }))(whole),
    finish: (reason) => choice({}, reason),
    usage: (usage) => chunk({ choices: [], usage: wireUsage(usage) }),
    done: () => 'data: [DONE]\n\n',
    error: (message) => frame({ error: { message, type: 'upstream_error', code: null, param: null } }),
  }
}

/**
 * UTF-16 units per frame. JSON writes a unit as six bytes at most, so a frame stays far below the limit of its readers.
 */
const unitsPerFrame = 10_000

function inFrames(write: (piece: string) => string): (whole: string) => string {
  return (whole) => (whole.length <= unitsPerFrame ? write(whole) : piecesIn(whole).map(write).join(''))
}

/** Splits a text between characters, never inside a surrogate pair. */
function piecesIn(whole: string): string[] {
  const pieces: string[] = []
  for (let from = 0, to = 0; from < whole.length; from = to) {
    to = Math.min(from + unitsPerFrame, whole.length)
    if (/^[\ud800-\udbff][\udc00-\udfff]$/.test(whole.slice(to - 1, to + 1))) to -= 1
    pieces.push(whole.slice(from, to))
  }
  return pieces
}

/** Usage in the fields of OpenAI, as `readUsage` reads it. */
export function wireUsage({ promptTokens, completionTokens, ...parts }: Usage) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: parts.cachedPromptTokens, cache_write_tokens: parts.cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: parts.reasoningTokens },
  }
}

function wireToolCall({ id, name, arguments: text, extraContent }: ToolCall) {
  const extra = extraContent === undefined ? {} : { extra_content: extraContent }
  return { id, type: 'function', function: { name, arguments: text }, ...extra }
}

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}
