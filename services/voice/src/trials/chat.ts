import type { ToolUse } from '@ratchet/contracts/voice/trials'
import type { RequestedTool, Turn } from '../engine/call-events.ts'
import { endCallTool } from '../engine/call-settings.ts'
import type { AnswerWriter, ToolCaller } from '../engine/ports.ts'
import { askOnce } from './ask-once.ts'

/** As in a call: after so many answers that call tools the model must speak. */
const maxRounds = 4

export interface ChatAnswer {
  readonly text: string
  readonly uses: readonly ToolUse[]
  readonly endsCall: boolean
}

/** What the agent says to these turns, tools included. @returns null when its model failed */
export async function chat(
  { writer, tools }: { readonly writer: AnswerWriter; readonly tools: ToolCaller },
  turns: readonly Turn[],
): Promise<ChatAnswer | null> {
  const said = [...turns]
  const uses: ToolUse[] = []
  const texts: string[] = []
  for (let round = 0; round <= maxRounds; round++) {
    const answer = await askOnce(writer, { turns: said, mayCallTools: round < maxRounds })
    if (answer === null) return null
    if (answer.text !== '') {
      texts.push(answer.text)
      said.push(turnOf('agent', answer.text))
    }
    const endsCall = answer.calls.some(({ name }) => name === endCallTool)
    const called = answer.calls.filter(({ name }) => name !== endCallTool)
    if (endsCall || called.length === 0) return { text: texts.join(' '), uses, endsCall }
    const results = await Promise.all(called.map((call) => resultOf(tools, call)))
    for (const [i, call] of called.entries()) {
      const result = results[i] ?? ''
      uses.push({ name: call.name, arguments: call.arguments, result })
      said.push({ ...turnOf('tool', result), call })
    }
  }
  return { text: texts.join(' '), uses, endsCall: false }
}

function resultOf(tools: ToolCaller, call: RequestedTool): Promise<string> {
  return new Promise((resolve) => tools.call(call, resolve))
}

export function turnOf(role: Turn['role'], text: string): Turn {
  return { role, text, startMs: 0, endMs: 0, isInterrupted: false, playedMs: null }
}
