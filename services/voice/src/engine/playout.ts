import { restOf } from '../heard/utterance.ts'
import { audioMs, commitUtterance, hangUpNow, requestSpeech } from './agent-speech.ts'
import type { CallEvent } from './call-events.ts'
import { bounds, type CallSettings } from './call-settings.ts'
import type { Draft, Piece, Utterance } from './call-state.ts'
import { finishTurn } from './caller-turn.ts'
import { stopUtterance } from './interruption.ts'
import { answerResults } from './tool-calls.ts'

type EventOf<Kind extends CallEvent['kind']> = Extract<CallEvent, { readonly kind: Kind }>

function changePiece(draft: Draft, id: number, change: (piece: Piece) => Piece): void {
  const { utterance } = draft.state
  if (utterance === null) return
  const pieces = utterance.pieces.map((piece) => (piece.id === id ? change(piece) : piece))
  draft.state = { ...draft.state, utterance: { ...utterance, pieces } }
}

/** More audio of a piece is on its way. */
export function takeAudio(draft: Draft, { piece, durationMs, words, atMs }: EventOf<'speech-audio'>): void {
  changePiece(draft, piece, (before) => ({
    ...before,
    durationMs: before.durationMs + durationMs,
    audioAtMs: atMs,
    words: [...before.words, ...words.map(({ text, endMs }) => ({ text, endMs: before.retriedAfterMs + endMs }))],
  }))
}

/** All audio of a piece is on its way. */
export function takeSpeechEnd(
  draft: Draft,
  { piece, atMs }: Pick<EventOf<'speech-end'>, 'piece' | 'atMs'>,
  settings: CallSettings,
): void {
  const { utterance } = draft.state
  if (utterance === null) return
  const pieces = utterance.pieces.map((each) =>
    // The audio of the next piece has waited for this end.
    each.id === piece ? { ...each, isComplete: true } : { ...each, audioAtMs: atMs },
  )
  draft.state = { ...draft.state, utterance: { ...utterance, pieces } }
  requestSpeech(draft, atMs)
  finishUtterance(draft, atMs, settings)
}

/** A synthesizer failed: another one speaks what is left of the piece. */
export function takeSpeechFailure(
  draft: Draft,
  { piece: id, atMs }: Pick<EventOf<'speech-failed'>, 'piece' | 'atMs'>,
  settings: CallSettings,
): void {
  const { utterance } = draft.state
  const piece = utterance?.pieces.find((each) => each.id === id)
  if (utterance === null || utterance.stop !== null || piece === undefined || piece.isComplete) return
  if (piece.isRetry) {
    commitUtterance(draft, atMs)
    hangUpNow(draft, 'tts_failed')
    return
  }
  const text = restOf(piece.spoken, piece.words)
  if (text === '') {
    draft.commands.push({ kind: 'cancel-speech', piece: id })
    takeSpeechEnd(draft, { piece: id, atMs }, settings)
    return
  }
  draft.commands.push({ kind: 'speak', utterance: utterance.id, piece: id, text, isRetry: true })
  changePiece(draft, id, (before) => ({
    ...before,
    isRetry: true,
    requestedMs: atMs,
    audioAtMs: atMs,
    retriedAfterMs: before.durationMs,
  }))
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
    draft.state = { ...draft.state, leaving: { reason: utterance.hangUp, sinceMs: atMs } }
    return
  }
  if (isFiller || draft.state.tools !== null) {
    draft.state = { ...draft.state, phase: 'thinking', answer: isFiller ? answer : null }
    return
  }
  draft.state = { ...draft.state, phase: 'listening', answer: null }
  finishTurn(draft, atMs, settings)
  answerResults(draft, atMs)
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
  const first = pieces.find(({ isComplete }) => !isComplete)
  if (first?.requestedMs != null && atMs - first.audioAtMs >= bounds.speechAfterMs) {
    takeSpeechFailure(draft, { piece: first.id, atMs }, settings)
  }
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
