import { nameOfBytes } from '../fingerprint.ts'
import type { SimulatedModel } from '../simulated-model.ts'
import type { ChatRequest } from '../wire/chat-request.ts'
import type { FunctionTool } from '../wire/read-tools.ts'
import type { ChatChoice, ToolCall } from './chat-choice.ts'
import { contentWords } from './content-words.ts'
import { fitSchema } from './fit-schema.ts'
import { countTokens, firstTokens } from './tokenize.ts'

/**
 * True when the reply is a tool call: `sim/tools` calls until the conversation has a tool result, every other model
 * only when `tool_choice` requires it.
 */
export function callsTool(model: SimulatedModel, request: ChatRequest): boolean {
  if (request.tools.length === 0 || request.requestedTool === 'none') return false
  if (request.requestedTool !== 'auto') return true
  return model.task === 'tools' && !request.messages.some((message) => message.role === 'tool')
}

/**
 * Calls the required tool, or the first one, with arguments that fit its schema; with an explicit `parallel_tool_calls:
 * true` the first two, or a single tool twice. A call costs one token for its name and one for each piece of its
 * arguments, as in a stream.
 */
export function callTools(request: ChatRequest, random: () => number): ChatChoice {
  let left = request.maxTokens
  const toolCalls: ToolCall[] = []
  for (const [index, tool] of chosenTools(request).entries()) {
    const whole = argumentsFor(tool, request)
    const text = firstTokens(whole, left - 1)
    toolCalls.push({ id: callId(tool.name, index, random()), name: tool.name, arguments: text })
    left -= 1 + countTokens(text)
    if (text.length < whole.length) return finished(toolCalls, 'length')
    if (left < 1) break
  }
  return finished(toolCalls, 'tool_calls')
}

function finished(toolCalls: readonly ToolCall[], finishReason: 'length' | 'tool_calls'): ChatChoice {
  const tokens = toolCalls.reduce((sum, call) => sum + 1 + countTokens(call.arguments), 0)
  return { content: null, toolCalls, finishReason, tokens }
}

function chosenTools(request: ChatRequest): readonly FunctionTool[] {
  const { tools, requestedTool, parallelTools } = request
  const named = typeof requestedTool === 'object' ? tools.filter((tool) => tool.name === requestedTool.name) : tools
  const [first, second] = named
  if (first === undefined) return []
  return parallelTools ? [first, second ?? first] : [first]
}

function argumentsFor(tool: FunctionTool, request: ChatRequest): string {
  const question = request.messages.findLast((message) => message.role === 'user')?.text ?? ''
  const words = contentWords(question, 4)
  const text = words.length > 0 ? words.join(' ') : 'something'
  return JSON.stringify(fitSchema({ type: 'object', ...tool.parameters }, text, words[0] ?? 'something'))
}

function callId(name: string, index: number, draw: number): string {
  return `call_${nameOfBytes(Buffer.from(`${name} ${index} ${draw}`)).slice(0, 24)}`
}
