import { mayLeaveMessage, newScreening, type ScreenEvent, screenAnswer } from '../voicemail/screen-answer.ts'
import { commitUtterance, drainAnswer, hangUpNow, sayLine } from './agent-speech.ts'
import type { CallSettings } from './call-settings.ts'
import { type Draft, newCaller } from './call-state.ts'
import { stopUtterance } from './interruption.ts'

/** Begins a call: with the first message, or by finding out first who has answered. */
export function greet(draft: Draft, { atMs }: { readonly atMs: number }, settings: CallSettings): void {
  draft.state = { ...draft.state, activeMs: atMs }
  if (settings.voicemail !== null) draft.state = { ...draft.state, screening: newScreening(atMs) }
  else sayFirstMessage(draft, atMs, settings)
}

/** Whether what the other side says is not answered: it is not known yet who it is, or it is a machine. */
export function isScreened({ state: { screening } }: Draft, { firstMessage }: CallSettings): boolean {
  return screening?.phase === 'machine' || (screening?.phase === 'deciding' && firstMessage !== null)
}

/** Gives an event to the search for a machine, and does what follows. */
export function followScreening(draft: Draft, event: ScreenEvent, settings: CallSettings): void {
  const { screening } = draft.state
  if (screening === null) return
  const { atMs } = event
  const { state, actions } = screenAnswer(screening, event, settings.language)
  draft.state = { ...draft.state, screening: state }
  for (const action of actions) {
    if (action.kind === 'greet') {
      draft.state = { ...draft.state, caller: settings.firstMessage === null ? draft.state.caller : newCaller }
      sayFirstMessage(draft, atMs, settings)
    } else {
      draft.commands.push({ kind: 'note-answerer', by: action.by })
      if (action.by === 'machine') takeMachine(draft, atMs, settings)
    }
  }
  if (event.kind === 'time') leaveMessage(draft, atMs, settings)
}

function sayFirstMessage(draft: Draft, atMs: number, settings: CallSettings): void {
  if (settings.firstMessage === null) return
  sayLine(draft, settings.firstMessage, {
    atMs,
    settings,
    isInterruptible: settings.isFirstMessageInterruptible,
  })
}

function takeMachine(draft: Draft, atMs: number, { voicemail }: CallSettings): void {
  drainAnswer(draft)
  draft.state = { ...draft.state, caller: newCaller }
  if (voicemail?.message != null) {
    stopUtterance(draft, atMs, 'confirmed')
    return
  }
  // What was said before stays a part of the call.
  commitUtterance(draft, atMs)
  hangUpNow(draft, 'voicemail')
}

function leaveMessage(draft: Draft, atMs: number, settings: CallSettings): void {
  const { screening, utterance } = draft.state
  const message = settings.voicemail?.message ?? null
  if (screening === null || message === null || utterance !== null || !mayLeaveMessage(screening, atMs)) return
  draft.state = { ...draft.state, screening: { ...screening, phase: 'over' }, caller: newCaller }
  sayLine(draft, message, { atMs, settings, isInterruptible: false, hangUp: 'voicemail' })
}
