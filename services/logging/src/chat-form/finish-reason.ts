/** Names that other APIs and SDKs have for the finish reasons of chat completions. */
const finishReasons: ReadonlyMap<string, string> = new Map([
  ['tool_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['completed', 'stop'],
  ['complete', 'stop'],
  ['finish_reason_stop', 'stop'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['safety', 'content_filter'],
  ['refusal', 'content_filter'],
])

/**
 * The finish reason of chat completions for one of another API. An unknown one is only written in lower case, with
 * underscores.
 */
export function chatFinishReason(reason: string | null): string | null {
  if (reason === null) return null
  const name = reason.toLowerCase().replaceAll('-', '_')
  return finishReasons.get(name) ?? name
}
