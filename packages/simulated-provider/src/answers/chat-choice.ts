/** One choice of an answer: a text, or tool calls. */
export interface ChatChoice {
  content: string | null
  toolCalls: readonly ToolCall[]
  finishReason: 'stop' | 'length' | 'tool_calls'
  /** Number of tokens of the completion, which equals the deltas with content in its stream. */
  tokens: number
}

/** A call of a function tool; `arguments` is JSON text. */
export interface ToolCall {
  id: string
  name: string
  arguments: string
}
