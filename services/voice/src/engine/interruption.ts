import { heardOf } from '../heard/utterance.ts'
import { type InterruptAction, type InterruptEvent, interrupt } from '../turns/interrupting.ts'
import { commitUtterance, drainAnswer, say } from './agent-speech.ts'
import { type CallSettings, maxFalseStops } from './call-settings.ts'
import { callerText, type Draft, type Stop } from './call-state.ts'
import { finishTurn, writeCallerTurn } from './caller-turn.ts'

/** Gives an event to the search for an interruption while the agent speaks, and does what follows. */
export function followInterruption(draft: Draft, event: InterruptEvent, settings: CallSettings): void {
  const { utterance, interrupting, falseStops } = draft.state
  if (utterance === null || !utterance.isInterruptible) return
  if (event.kind === 'voice' && falseStops >= maxFalseStops) return
  const { state, actions } = interrupt(interrupting, event, settings.interrupting)
  draft.state = { ...draft.state, interrupting: state }
  for (const action of actions) follow(draft, action, event.atMs, settings)
}

function follow(draft: Draft, action: InterruptAction, atMs: number, settings: CallSettings): void {
  if (action === 'duck' || action === 'unduck') draft.commands.push({ kind: action })
  if (action === 'stop') stopUtterance(draft, atMs, 'open')
  if (action === 'confirm') decideStop(draft, 'confirmed', atMs, settings)
  if (action === 'resume') decideStop(draft, 'resumed', atMs, settings)
}

/** Stops the agent at once. What the caller has heard is known when the transport has dropped the rest. */
export function stopUtterance(draft: Draft, atMs: number, outcome: Stop['outcome']): void {
  const { utterance } = draft.state
  if (utterance === null) return
  if (utterance.stop === null) draft.commands.push({ kind: 'clear', utterance: utterance.id })
  const stop = { sinceMs: utterance.stop?.sinceMs ?? atMs, isCleared: utterance.stop?.isCleared ?? false, outcome }
  draft.state = { ...draft.state, utterance: { ...utterance, stop } }
}

function decideStop(draft: Draft, outcome: Stop['outcome'], atMs: number, settings: CallSettings): void {
  stopUtterance(draft, atMs, outcome)
  afterStop(draft, atMs, settings)
}

/** The transport has dropped what was not played. */
export function takeCleared(
  draft: Draft,
  event: { readonly utterance: number; readonly playedMs: number; readonly atMs: number },
  settings: CallSettings,
): void {
  const { utterance } = draft.state
  const { playedMs, atMs } = event
  if (utterance?.id !== event.utterance || utterance.stop === null) return
  const stop = { ...utterance.stop, isCleared: true }
  draft.state = {
    ...draft.state,
    utterance: { ...utterance, stop, playedMs: Math.max(playedMs, utterance.playedMs) },
  }
  afterStop(draft, atMs, settings)
}

/** Goes on when both are known: what was heard, and who has the turn. */
export function afterStop(draft: Draft, atMs: number, settings: CallSettings): void {
  const { utterance } = draft.state
  if (utterance === null || utterance.stop === null || !utterance.stop.isCleared || utterance.stop.outcome === 'open')
    return
  if (utterance.stop.outcome === 'confirmed') {
    drainAnswer(draft)
    commitUtterance(draft, atMs)
    finishTurn(draft, atMs, settings)
    return
  }
  resume(draft, atMs, settings)
}

/** Says again the clause that was cut, and what follows, as a new utterance. */
function resume(draft: Draft, atMs: number, settings: CallSettings): void {
  const { utterance } = draft.state
  if (utterance === null) return
  const { wholePieces } = heardOf(utterance.pieces, utterance.playedMs)
  const rest = utterance.pieces.slice(wholePieces).map(({ text }) => text)
  if (callerText(draft.state.caller) === '') draft.state = { ...draft.state, falseStops: draft.state.falseStops + 1 }
  commitUtterance(draft, atMs)
  if (rest.length > 0) writeCallerTurn(draft, atMs)
  say(draft, rest, atMs, settings)
  if (draft.state.utterance !== null) {
    draft.state = { ...draft.state, utterance: { ...draft.state.utterance, hangUp: utterance.hangUp } }
  }
  finishTurn(draft, atMs, settings)
}
