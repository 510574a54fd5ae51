/** What others call the reasons of chat completions. */
const names: ReadonlyMap<string, string> = new Map([
  ['tool_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['completed', 'stop'],
  ['max_tokens', 'length'],
  ['content-filter', 'content_filter'],
  ['safety', 'content_filter'],
])

/** A finish reason as chat completions name it; one that they do not have stays as it is, in lower case. */
export function chatFinishReason(reason: string | null): string | null {
  if (reason === null) return null
  const name = reason.toLowerCase()
  return names.get(name) ?? name
}
