import { hangUpNow, sayLine } from './agent-speech.ts'
import type { RequestedTool, Turn } from './call-events.ts'
import { bounds, type CallSettings, endCallTool, maxToolRounds } from './call-settings.ts'
import type { Draft, RunningTools } from './call-state.ts'
import { requestAnswer } from './caller-turn.ts'

/** A model ended its text with calls of tools. They begin when it has ended, and none is cancelled by an interruption. */
export function takeToolRequest(
  draft: Draft,
  { request, calls }: { readonly request: number; readonly calls: readonly RequestedTool[] },
): void {
  const { answer } = draft.state
  if (answer?.request !== request || answer.isEnded) return
  draft.state = { ...draft.state, answer: { ...answer, tools: [...answer.tools, ...calls] } }
}

/** Begins the calls of an answer that has ended. @returns false when it has none */
export function beginTools(draft: Draft, atMs: number, settings: CallSettings): boolean {
  const { answer, toolRounds, tools: running } = draft.state
  if (answer === null || answer.tools.length === 0 || running !== null || toolRounds >= maxToolRounds) return false
  if (settings.canEndCall && answer.tools.some(({ name }) => name === endCallTool)) {
    draft.state = { ...draft.state, answer: null }
    endByAgent(draft)
    return true
  }
  const calls = answer.tools.map((call) => ({ ...call, result: resultWithoutCall(draft.state.turns, call, settings) }))
  const tools: RunningTools = { calls, sinceMs: atMs, isFillerSaid: false }
  draft.state = { ...draft.state, answer: null, tools, toolRounds: toolRounds + 1 }
  for (const { id, name, arguments: json, result } of calls) {
    if (result === null) draft.commands.push({ kind: 'call-tool', id, name, arguments: json })
  }
  finishTools(draft, atMs)
  return true
}

/** After the last words. */
function endByAgent(draft: Draft): void {
  const { utterance } = draft.state
  if (utterance === null) hangUpNow(draft, 'agent_hangup')
  else draft.state = { ...draft.state, utterance: { ...utterance, hangUp: 'agent_hangup' } }
}

/** The result of a call that need not be made: of a tool that does not exist, or of the same call for the same turn. */
function resultWithoutCall(turns: readonly Turn[], call: RequestedTool, { tools }: CallSettings): string | null {
  if (tools[call.name] === undefined) return 'There is no tool of this name.'
  const sinceCaller = turns.slice(turns.findLastIndex(({ role }) => role === 'caller') + 1)
  const same = sinceCaller.find((turn) => turn.call?.name === call.name && turn.call.arguments === call.arguments)
  return same?.text ?? null
}

/** A tool answered. */
export function takeToolResult(
  draft: Draft,
  { id, text, atMs }: { readonly id: string; readonly text: string; readonly atMs: number },
): void {
  const { tools } = draft.state
  if (tools === null) return
  const calls = tools.calls.map((call) => (call.id === id && call.result === null ? { ...call, result: text } : call))
  draft.state = { ...draft.state, tools: { ...tools, calls } }
  finishTools(draft, atMs)
}

/** When all tools have answered, a model goes on, unless somebody is speaking: then it does afterwards. */
function finishTools(draft: Draft, atMs: number): void {
  const { tools, turns, phase } = draft.state
  if (tools === null || tools.calls.some(({ result }) => result === null)) return
  const added = tools.calls.map(({ id, name, arguments: json, result }): Turn => {
    const call = { id, name, arguments: json }
    const times = { startMs: tools.sinceMs, endMs: atMs }
    return { role: 'tool', text: result ?? '', ...times, isInterrupted: false, playedMs: null, call }
  })
  draft.state = { ...draft.state, tools: null, turns: [...turns, ...added] }
  if (phase === 'thinking') requestAnswer(draft, atMs, { isRetry: false })
  else draft.state = { ...draft.state, isAnswerDue: true }
}

/** Requests the answer that follows results of tools, once neither side speaks. */
export function answerResults(draft: Draft, atMs: number): void {
  const { phase, isAnswerDue, endpointing, caller } = draft.state
  const isCallerSilent = endpointing.phase === 'idle' && caller.endedMs === null
  if (phase === 'listening' && isAnswerDue && isCallerSilent) requestAnswer(draft, atMs, { isRetry: false })
}

/** Says a filler while a tool takes long, and ends the wait for one that does not answer. */
export function watchTools(draft: Draft, atMs: number, settings: CallSettings): void {
  const { tools, phase } = draft.state
  if (tools === null) return
  const waitedMs = atMs - tools.sinceMs
  if (waitedMs >= bounds.toolMs) {
    for (const { id, result } of tools.calls) {
      if (result === null) takeToolResult(draft, { id, text: '[tool failed: no answer in time]', atMs })
    }
    return
  }
  if (phase !== 'thinking' || tools.isFillerSaid) return
  const due = tools.calls.flatMap(({ name, result }) => {
    const tool = settings.tools[name]
    const isDue = result === null && tool?.filler != null && waitedMs >= tool.speakAfterMs
    return isDue ? [tool.filler ?? ''] : []
  })
  const [filler] = due
  if (filler === undefined) return
  draft.state = { ...draft.state, tools: { ...tools, isFillerSaid: true } }
  sayLine(draft, filler, { atMs, settings })
}
