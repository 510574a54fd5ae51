import type { ChatChoice } from '../answers/chat-choice.ts'
import { type Fields, isFields } from './read-fields.ts'
import type { ReasoningItem } from './reasoning-item.ts'

/** One item of a response's `output`. */
export type OutputItem =
  | ReasoningItem
  | HostedCall
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

/** A call of a tool that the provider runs. */
type HostedCall =
  | { id: string; type: 'web_search_call'; status: 'completed'; action: { type: 'search'; query: string } }
  | {
      id: string
      type: 'code_interpreter_call'
      status: 'completed'
      container_id: string
      code: string
      outputs: null
    }

/** A model that may search does so this often, if it is not limited to fewer calls. */
export const usualSearches = 2

/** The calls of hosted tools before an answer: two searches, then a run of code in one container. */
export function hostedCalls(name: string, { tools, max_tool_calls: limit }: Fields): HostedCall[] {
  const types = Array.isArray(tools) ? tools.map((tool) => (isFields(tool) ? tool.type : null)) : []
  const searches = types.includes('web_search') ? usualSearches : 0
  const calls: HostedCall[] = Array.from({ length: searches }, (_, index) => ({
    id: `ws_${name.slice(0, 30)}${index}`,
    type: 'web_search_call',
    status: 'completed',
    action: { type: 'search', query: `simulated search ${index}` },
  }))
  if (types.includes('code_interpreter')) {
    const ran = { id: `ci_${name.slice(0, 30)}`, type: 'code_interpreter_call', status: 'completed' } as const
    calls.push({ ...ran, container_id: `cntr_${name.slice(0, 30)}`, code: '1 + 1', outputs: null })
  }
  return typeof limit === 'number' ? calls.slice(0, limit) : calls
}
