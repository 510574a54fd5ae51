import { audioMs, commitUtterance, hangUpNow, requestSpeech } from './agent-speech.ts'
import type { CallEvent } from './call-events.ts'
import { bounds, type CallSettings } from './call-settings.ts'
import type { Draft, Piece, Utterance } from './call-state.ts'
import { finishTurn } from './caller-turn.ts'
import { stopUtterance } from './interruption.ts'

type EventOf<Kind extends CallEvent['kind']> = Extract<CallEvent, { readonly kind: Kind }>

function changePiece(draft: Draft, id: number, change: (piece: Piece) => Piece): void {
  const { utterance } = draft.state
  if (utterance === null) return
  const pieces = utterance.pieces.map((piece) => (piece.id === id ? change(piece) : piece))
  draft.state = { ...draft.state, utterance: { ...utterance, pieces } }
}

/** More audio of a piece is on its way. */
export function takeAudio(draft: Draft, { piece, durationMs, words }: EventOf<'speech-audio'>): void {
  changePiece(draft, piece, (before) => ({
    ...before,
    durationMs: before.durationMs + durationMs,
    words: [...before.words, ...words],
  }))
}

/** All audio of a piece is on its way. */
export function takeSpeechEnd(draft: Draft, { piece, atMs }: EventOf<'speech-end'>, settings: CallSettings): void {
  changePiece(draft, piece, (before) => ({ ...before, isComplete: true }))
  requestSpeech(draft, atMs)
  finishUtterance(draft, atMs, settings)
}

/** A synthesizer failed: another speaks the piece. What the caller heard of it is not said again. */
export function takeSpeechFailure(draft: Draft, id: number, atMs: number): void {
  const { utterance } = draft.state
  const piece = utterance?.pieces.find((each) => each.id === id)
  if (utterance === null || utterance.stop !== null || piece === undefined || piece.isComplete) return
  if (piece.isRetry || piece.durationMs > 0) {
    commitUtterance(draft, atMs)
    hangUpNow(draft, 'tts_failed')
    return
  }
  draft.commands.push({ kind: 'speak', utterance: utterance.id, piece: id, text: piece.spoken, isRetry: true })
  changePiece(draft, id, (before) => ({ ...before, isRetry: true, requestedMs: atMs }))
}

/** The caller's side has played more. */
export function takePlayed(draft: Draft, event: EventOf<'played'>, settings: CallSettings): void {
  const { utterance } = draft.state
  if (utterance?.id !== event.utterance || event.playedMs <= utterance.playedMs) return
  draft.state = {
    ...draft.state,
    utterance: { ...utterance, playedMs: event.playedMs, playedAtMs: event.atMs },
  }
  finishUtterance(draft, event.atMs, settings)
}

/** Half a frame: what an acknowledgement may be short of the whole. */
const playedSlackMs = 10

function isPlayed(utterance: Utterance): boolean {
  return (
    utterance.pieces.every(({ isComplete }) => isComplete) && utterance.playedMs >= audioMs(utterance) - playedSlackMs
  )
}

/** Ends an utterance that was played to its end, and to which nothing will be added. */
export function finishUtterance(draft: Draft, atMs: number, settings: CallSettings): void {
  const { utterance, answer } = draft.state
  if (utterance === null || utterance.stop !== null || !isPlayed(utterance)) return
  // A filler is no part of the answer, which will come.
  const isFiller = answer !== null && !answer.isEnded && !answer.clauses.hasClause
  if (answer !== null && !answer.isEnded && !isFiller) return
  commitUtterance(draft, atMs)
  if (utterance.hangUp !== null) {
    hangUpNow(draft, utterance.hangUp)
    return
  }
  draft.state = { ...draft.state, phase: isFiller ? 'thinking' : 'listening', answer: isFiller ? answer : null }
  if (!isFiller) finishTurn(draft, atMs, settings)
}

/** Bounds how long the agent's voice may be silent although it has something to say. */
export function watchPlayout(draft: Draft, atMs: number, settings: CallSettings): void {
  const { utterance } = draft.state
  if (utterance === null) return
  const { stop, pieces } = utterance
  if (stop !== null) {
    watchStop(draft, atMs)
    return
  }
  const late = pieces.find(
    ({ requestedMs, durationMs, isComplete }) =>
      requestedMs !== null && !isComplete && durationMs === 0 && atMs - requestedMs >= bounds.speechAfterMs,
  )
  if (late !== undefined) takeSpeechFailure(draft, late.id, atMs)
  const still = draft.state.utterance
  if (still === null) return
  if (still.playedMs >= audioMs(still) - playedSlackMs) {
    draft.state = { ...draft.state, utterance: { ...still, playedAtMs: atMs } }
    finishUtterance(draft, atMs, settings)
  } else if (atMs - still.playedAtMs >= bounds.playoutAfterMs) {
    stopUtterance(draft, atMs, 'confirmed')
  }
}

/** A transport that does not say what it dropped has played what it last reported. */
function watchStop(draft: Draft, atMs: number): void {
  const { utterance } = draft.state
  if (utterance === null || utterance.stop === null || atMs - utterance.stop.sinceMs < bounds.playoutAfterMs) return
  const outcome = utterance.stop.outcome === 'open' ? 'resumed' : utterance.stop.outcome
  const stop = { ...utterance.stop, isCleared: true, outcome }
  draft.state = { ...draft.state, utterance: { ...utterance, stop } }
}
