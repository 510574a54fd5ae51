import type { ChatChoice } from '../answers/chat-choice.ts'
import type { ReasoningItem } from './reasoning-item.ts'

/** One item of a response's `output`. */
export type OutputItem =
  | ReasoningItem
  | { id: string; type: 'message'; status: string; role: 'assistant'; content: OutputText[] }
  | { id: string; type: 'function_call'; status: string; call_id: string; name: string; arguments: string }

interface OutputText {
  type: 'output_text'
  annotations: readonly never[]
  logprobs: readonly never[]
  text: string
}

/** The items of a choice: one message, or one item per tool call. `name` is the hash of the request. */
export function outputItems(name: string, choice: ChatChoice): OutputItem[] {
  const suffix = name.slice(0, 32)
  const status = choice.finishReason === 'length' ? 'incomplete' : 'completed'
  if (choice.content !== null) {
    return [{ id: `msg_${suffix}`, type: 'message', status, role: 'assistant', content: [outputText(choice.content)] }]
  }
  return choice.toolCalls.map((call, index) => ({
    id: `fc_${suffix}${index}`,
    type: 'function_call',
    status,
    call_id: call.id,
    name: call.name,
    arguments: call.arguments,
  }))
}

/** The text part of a message item. */
export function outputText(text: string): OutputText {
  return { type: 'output_text', annotations: [], logprobs: [], text }
}
