import { heardOf } from '../heard/utterance.ts'
import { newInterrupting } from '../turns/interrupting.ts'
import { clausesOf } from '../wording/clauses.ts'
import { speakableText } from '../wording/speakable-text.ts'
import type { EngineEnd } from './call-events.ts'
import { type CallSettings, maxPieces, maxPiecesInFlight } from './call-settings.ts'
import type { Draft, Piece, Utterance } from './call-state.ts'

/** Makes the agent say clauses: in the utterance that is under way, or in a new one. */
export function say(draft: Draft, clauses: readonly string[], atMs: number, settings: CallSettings): void {
  let { piece } = draft.state.next
  const pieces = clauses.flatMap((text): Piece[] => {
    const spoken = speakableText(text, settings.language)
    if (!hasWords(spoken)) return []
    const audio = { durationMs: 0, isComplete: false, words: [], audioAtMs: atMs, retriedAfterMs: 0 }
    return [{ id: piece++, text, spoken, ...audio, requestedMs: null, isRetry: false }]
  })
  if (pieces.length === 0) return
  const utterance = draft.state.utterance ?? begin(draft, atMs)
  const all = [...utterance.pieces, ...pieces].slice(0, maxPieces)
  draft.state = {
    ...draft.state,
    phase: 'speaking',
    next: { ...draft.state.next, piece },
    utterance: { ...utterance, pieces: all },
  }
  requestSpeech(draft, atMs)
}

/** Whether anything of a text can be said. */
export function isSpeakable(text: string, { language }: Pick<CallSettings, 'language'>): boolean {
  return hasWords(speakableText(text, language))
}

function hasWords(spoken: string): boolean {
  return /[\p{L}\p{N}]/u.test(spoken)
}

interface LineOptions {
  readonly isInterruptible?: boolean
  readonly isReminder?: boolean
  readonly hangUp?: EngineEnd
}

/** Says a line that no model wrote. */
export function sayLine(
  draft: Draft,
  line: string,
  options: LineOptions & { readonly atMs: number; readonly settings: CallSettings },
): void {
  const { atMs, settings, isInterruptible = true, isReminder = false, hangUp } = options
  say(draft, clausesOf(line), atMs, settings)
  const { utterance } = draft.state
  if (utterance === null) {
    if (hangUp !== undefined) hangUpNow(draft, hangUp)
    return
  }
  const end = hangUp ?? utterance.hangUp
  draft.state = { ...draft.state, utterance: { ...utterance, isInterruptible, isReminder, hangUp: end } }
}

/** Ends the call without another word. */
export function hangUpNow(draft: Draft, reason: EngineEnd): void {
  draft.commands.push({ kind: 'hang-up', reason })
  draft.state = { ...draft.state, phase: 'ended' }
}

function begin(draft: Draft, atMs: number): Utterance {
  const id = draft.state.next.utterance
  draft.state = {
    ...draft.state,
    interrupting: newInterrupting,
    next: { ...draft.state.next, utterance: id + 1 },
  }
  return {
    id,
    pieces: [],
    isInterruptible: true,
    isReminder: false,
    startMs: atMs,
    playedMs: 0,
    playedAtMs: atMs,
    stop: null,
    hangUp: null,
  }
}

/** Requests the audio of the next pieces, at most two at a time. */
export function requestSpeech(draft: Draft, atMs: number): void {
  const { utterance } = draft.state
  if (utterance === null || utterance.stop !== null) return
  let inFlight = utterance.pieces.filter((piece) => piece.requestedMs !== null && !piece.isComplete).length
  const pieces = utterance.pieces.map((piece): Piece => {
    if (piece.requestedMs !== null || inFlight >= maxPiecesInFlight) return piece
    inFlight++
    draft.commands.push({ kind: 'speak', utterance: utterance.id, piece: piece.id, text: piece.spoken, isRetry: false })
    return { ...piece, requestedMs: atMs, audioAtMs: atMs }
  })
  draft.state = { ...draft.state, utterance: { ...utterance, pieces } }
}

/** Milliseconds of audio that the utterance has so far. */
export function audioMs({ pieces }: Utterance): number {
  return pieces.reduce((sum, piece) => sum + piece.durationMs, 0)
}

/** Ends the utterance that was played or stopped, and adds what the caller heard of it to the conversation. */
export function commitUtterance(draft: Draft, atMs: number): void {
  const { utterance } = draft.state
  if (utterance === null) return
  const heard = heardOf(utterance.pieces, utterance.playedMs)
  for (const { id, requestedMs, isComplete } of utterance.pieces) {
    if (requestedMs !== null && !isComplete) draft.commands.push({ kind: 'cancel-speech', piece: id })
  }
  const activeMs = utterance.isReminder ? draft.state.activeMs : atMs
  draft.state = { ...draft.state, utterance: null, interrupting: newInterrupting, phase: 'listening', activeMs }
  if (heard.text === '') return
  const turn = {
    role: 'agent' as const,
    text: heard.text,
    startMs: utterance.startMs,
    endMs: atMs,
    isInterrupted: !heard.isWhole || utterance.stop !== null,
    playedMs: utterance.playedMs,
  }
  draft.state = { ...draft.state, turns: [...draft.state.turns, turn] }
}

/** Nobody will hear the rest of what the model writes. */
export function drainAnswer(draft: Draft): void {
  const { answer } = draft.state
  if (answer !== null && !answer.isEnded) draft.commands.push({ kind: 'drain-answer', request: answer.request })
  draft.state = { ...draft.state, answer: null }
}
