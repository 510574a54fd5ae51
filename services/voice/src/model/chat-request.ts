import type { DescribedTool, WriterSettings } from '../calls/call-writers.ts'
import type { RequestedTool, Turn } from '../engine/call-events.ts'

type Message = Readonly<Record<string, unknown>>

export interface AnswerRequest {
  readonly turns: readonly Turn[]
  readonly mayCallTools: boolean
}

/** The body of a request of Chat Completions, as a stream. */
export function chatRequest(
  { model, systemPrompt, temperature, maxTokens, tools }: WriterSettings,
  { turns, mayCallTools }: AnswerRequest,
): Message {
  const usable = mayCallTools || usesTools(turns)
  return {
    model,
    messages: [{ role: 'system', content: systemPrompt }, ...messagesOf(turns)],
    stream: true,
    max_tokens: maxTokens,
    ...(temperature === null ? {} : { temperature }),
    ...(usable && tools.length > 0 ? { tools: tools.map(toolOf) } : {}),
    ...(usable && tools.length > 0 && !mayCallTools ? { tool_choice: 'none' } : {}),
  }
}

/** Providers refuse calls of tools in messages when the request names no tools. */
function usesTools(turns: readonly Turn[]): boolean {
  return turns.some(({ call }) => call !== undefined)
}

function toolOf({ name, description, parameters }: DescribedTool): Message {
  return { type: 'function', function: { name, description, parameters } }
}

/** What was said and heard. Calls of tools are part of the message of the agent before them, and results follow it. */
function messagesOf(turns: readonly Turn[]): readonly Message[] {
  const messages: Message[] = []
  let index = 0
  while (index < turns.length) {
    const turn = turns[index] as Turn
    const calls = callsFrom(turns, turn.role === 'agent' ? index + 1 : index)
    if (turn.role === 'caller') messages.push({ role: 'user', content: turn.text })
    else messages.push(...agentMessages(turn.role === 'agent' ? turn.text : null, calls))
    index += turn.role === 'agent' ? 1 + calls.length : Math.max(1, calls.length)
  }
  return messages
}

interface CallWithResult {
  readonly call: RequestedTool
  readonly result: string
}

/** The calls of tools that follow each other from here. */
function callsFrom(turns: readonly Turn[], from: number): readonly CallWithResult[] {
  const calls: CallWithResult[] = []
  for (const { role, call, text } of turns.slice(from)) {
    if (role !== 'tool' || call === undefined) break
    calls.push({ call, result: text })
  }
  return calls
}

function agentMessages(text: string | null, calls: readonly CallWithResult[]): readonly Message[] {
  if (calls.length === 0) return text === null ? [] : [{ role: 'assistant', content: text }]
  const toolCalls = calls.map(({ call }) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }))
  return [
    { role: 'assistant', content: text, tool_calls: toolCalls },
    ...calls.map(({ call, result }) => ({ role: 'tool', tool_call_id: call.id, content: result })),
  ]
}
