import { type EndpointAction, type EndpointEvent, endpoint, newEndpointing } from '../turns/endpointing.ts'
import { isBackchannel } from '../turns/text-votes.ts'
import { drainAnswer } from './agent-speech.ts'
import { bounds, type CallSettings, maxToolRounds } from './call-settings.ts'
import { callerText, type Draft, newAnswer, newCaller } from './call-state.ts'

/** Gives an event to the search for the end of the caller's turn, and does what follows. */
export function followTurn(draft: Draft, event: EndpointEvent, settings: CallSettings): void {
  const { state, actions } = endpoint(draft.state.endpointing, event, settings.endpointing)
  draft.state = { ...draft.state, endpointing: state }
  for (const action of actions) follow(draft, action, settings)
}

function follow(draft: Draft, action: EndpointAction, settings: CallSettings): void {
  const { caller, phase } = draft.state
  if (action.kind === 'pause-began') draft.commands.push({ kind: 'judge-pause' })
  if (action.kind === 'speech-began' || action.kind === 'speech-resumed') {
    draft.state = { ...draft.state, caller: { ...caller, startMs: caller.startMs ?? action.atMs, endedMs: null } }
    // The turn was not over. What was said stays part of it, and is answered anew.
    if (phase === 'thinking') takeBackTurn(draft)
  }
  if (action.kind === 'turn-ended') {
    draft.state = { ...draft.state, caller: { ...draft.state.caller, endedMs: action.atMs } }
    finishTurn(draft, action.atMs, settings)
  }
}

/** Before a word of the answer was spoken, the caller goes on. */
function takeBackTurn(draft: Draft): void {
  const last = draft.state.turns.at(-1)
  drainAnswer(draft)
  draft.state = { ...draft.state, phase: 'listening' }
  // What tools do for a turn cannot be taken back.
  if (last?.role !== 'caller' || draft.state.tools !== null) return
  const { caller } = draft.state
  draft.state = {
    ...draft.state,
    turns: draft.state.turns.slice(0, -1),
    caller: { ...caller, finals: [last.text, ...caller.finals], startMs: last.startMs },
  }
}

/** Answers the turn when it has ended, its words are known, and the agent is silent. */
export function finishTurn(draft: Draft, atMs: number, settings: CallSettings): void {
  const { caller, phase } = draft.state
  if (caller.endedMs === null || phase === 'ended') return
  const text = callerText(caller)
  if (text === '') {
    // A sound without words, once the recognizer had its time.
    if (atMs - caller.endedMs >= bounds.lateTextMs) draft.state = { ...draft.state, caller: newCaller }
    return
  }
  if (phase === 'speaking') return
  const { language, backchannels } = settings.interrupting
  const isOld = atMs - caller.endedMs >= bounds.signAfterMs
  if (isOld && isBackchannel(text, language, backchannels)) {
    writeTurn(draft, atMs, text)
    return
  }
  writeTurn(draft, atMs, text)
  draft.state = { ...draft.state, toolRounds: 0, isAnswerDue: false }
  // Tools that still run answer first.
  if (draft.state.tools === null) requestAnswer(draft, atMs, { isRetry: false })
  else draft.state = { ...draft.state, phase: 'thinking' }
}

/** What the caller said so far becomes a part of the conversation that needs no answer. */
export function writeCallerTurn(draft: Draft, atMs: number): void {
  const text = callerText(draft.state.caller)
  if (text !== '') writeTurn(draft, atMs, text)
}

function writeTurn(draft: Draft, atMs: number, text: string): void {
  const { caller } = draft.state
  const endMs = caller.endedMs ?? atMs
  const startMs = caller.startMs ?? endMs
  const turn = { role: 'caller' as const, text, startMs, endMs, isInterrupted: false, playedMs: null }
  draft.state = { ...draft.state, caller: newCaller, endpointing: newEndpointing, turns: [...draft.state.turns, turn] }
}

/** Asks a model for the next words of the agent. */
export function requestAnswer(draft: Draft, atMs: number, { isRetry }: { readonly isRetry: boolean }): void {
  const { next, turns, toolRounds } = draft.state
  const mayCallTools = toolRounds < maxToolRounds
  draft.commands.push({ kind: 'request-answer', request: next.request, turns, isRetry, mayCallTools })
  draft.state = {
    ...draft.state,
    phase: 'thinking',
    isAnswerDue: false,
    answer: newAnswer(next.request, atMs, isRetry),
    next: { ...next, request: next.request + 1 },
  }
}

/** What was entered on the keypad is part of the caller's turn, and ends it. */
export function enterKeys(draft: Draft, text: string, atMs: number): void {
  const { caller } = draft.state
  const finals = [...caller.finals, text]
  draft.state = { ...draft.state, caller: { ...caller, finals, startMs: caller.startMs ?? atMs, endedMs: atMs } }
}
