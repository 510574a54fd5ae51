import type { CallReplay, ToolUse } from '@ratchet/contracts/voice/trials'
import type { WrittenTurn } from '../calls/call.ts'
import type { RequestedTool } from '../engine/call-events.ts'
import type { AnswerWriter } from '../engine/ports.ts'
import { askOnce } from './ask-once.ts'

type Step = CallReplay['steps'][number]

/** A place of a call at which the agent had to act. */
export interface ReplayPlace {
  readonly index: number
  readonly before: readonly WrittenTurn[]
  readonly recorded: string
  readonly calls: readonly WrittenTurn[]
}

const maxSteps = 40
const atOnce = 8

/** The answers of the agent in a call: each follows a turn of the caller, or results of tools. */
export function placesOf(turns: readonly WrittenTurn[]): readonly ReplayPlace[] {
  const places: ReplayPlace[] = []
  for (const [i, turn] of turns.entries()) {
    const previous = turns[i - 1]
    const isAnswer = turn.role === 'agent' && previous !== undefined && previous.role !== 'agent'
    const isToolsAlone = turn.role === 'tool' && previous?.role === 'caller'
    if (!isAnswer && !isToolsAlone) continue
    const calls: WrittenTurn[] = []
    for (const next of turns.slice(isAnswer ? i + 1 : i)) {
      if (next.role !== 'tool') break
      calls.push(next)
    }
    places.push({ index: turn.index, before: turns.slice(0, i), recorded: isAnswer ? turn.text : '', calls })
  }
  return places.slice(0, maxSteps)
}

/** What a model says at each place. */
export async function replay(writer: AnswerWriter, places: readonly ReplayPlace[]): Promise<readonly Step[]> {
  const steps: Step[] = []
  for (let from = 0; from < places.length; from += atOnce) {
    const some = places.slice(from, from + atOnce)
    steps.push(...(await Promise.all(some.map((place) => replayOne(writer, place)))))
  }
  return steps
}

async function replayOne(writer: AnswerWriter, { index, before, recorded, calls }: ReplayPlace): Promise<Step> {
  const answer = await askOnce(writer, { turns: before, mayCallTools: true })
  const made = calls.flatMap(({ call, text }) => (call === undefined ? [] : [useOf(call, text)]))
  const uses = (answer?.calls ?? []).map((call) => useOf(call, null))
  const isSame = answer !== null && wordsOf(answer.text) === wordsOf(recorded) && callsOf(uses) === callsOf(made)
  return {
    index,
    recorded,
    recorded_tool_calls: made,
    replayed: answer?.text ?? null,
    tool_calls: uses,
    same: isSame,
  }
}

function useOf({ name, arguments: json }: RequestedTool, result: string | null): ToolUse {
  return { name, arguments: json, result }
}

function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')
}

function callsOf(uses: readonly ToolUse[]): string {
  return JSON.stringify(uses.map(({ name, arguments: json }) => [name, json.replace(/\s+/g, '')]))
}
