import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import type { StoredCall, WrittenTurn } from '../calls/call.ts'
import { fillIn } from '../calls/call-variables.ts'

type Message = { readonly role: string } & Readonly<Record<string, unknown>>

export interface Conversation {
  readonly messages: readonly Message[]
  readonly response: Message
  readonly model: string
}

export interface HeardCall {
  readonly call: Pick<StoredCall, 'variables' | 'endedReason' | 'usage'>
  readonly spec: Pick<AgentSpec, 'system_prompt' | 'model' | 'variables'>
  readonly turns: readonly WrittenTurn[]
}

/** A pause that is worth a mark. */
const minPauseMs = 2_000

/**
 * A call as a judge reads it: what each side heard, calls of tools with their results, and marks in brackets where somebody was
 * interrupted or silent. The last message says how the call ended.
 */
export function conversationOf({ call, spec, turns }: HeardCall): Conversation {
  const secret = Object.fromEntries(spec.variables.filter((each) => each.secret).map(({ name }) => [name, '[secret]']))
  const messages: Message[] = [
    { role: 'system', content: fillIn(spec.system_prompt, { ...call.variables, ...secret }) },
  ]
  let endMs = 0
  for (const turn of turns) {
    const pause = turn.role === 'tool' ? '' : pauseMark(turn.startMs - endMs)
    messages.push(...messagesOf(turn, pause))
    endMs = Math.max(endMs, turn.endMs)
  }
  const end = endMark(call)
  const last = messages.at(-1)
  const isAnswer = last?.role === 'assistant' && last.tool_calls === undefined
  const response = { role: 'assistant', content: isAnswer ? `${String(last.content)} ${end}` : end }
  return { messages: isAnswer ? messages.slice(0, -1) : messages, response, model: spec.model }
}

function messagesOf({ role, text, isInterrupted, call }: WrittenTurn, pause: string): readonly Message[] {
  if (role === 'caller') return [{ role: 'user', content: pause + text }]
  if (role === 'agent')
    return [{ role: 'assistant', content: `${pause}${text}${isInterrupted ? ' [interrupted]' : ''}` }]
  if (call === undefined) return []
  const { id, name, arguments: json } = call
  const made = { id, type: 'function', function: { name, arguments: json } }
  return [
    { role: 'assistant', content: null, tool_calls: [made] },
    { role: 'tool', tool_call_id: id, content: text },
  ]
}

function pauseMark(pauseMs: number): string {
  return pauseMs < minPauseMs ? '' : `[${(pauseMs / 1_000).toFixed(1)} s of silence] `
}

function endMark({ endedReason, usage }: HeardCall['call']): string {
  const seconds = Math.round(usage.answeredMs / 1_000)
  return endedReason === null ? '[The call goes on.]' : `[The call ended after ${seconds} s: ${endedReason}.]`
}
