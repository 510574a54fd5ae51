import type { SpokenPiece } from '../heard/utterance.ts'
import { type KeypadState, newKeypad } from '../keypad/collect-keys.ts'
import { type EndpointState, newEndpointing } from '../turns/endpointing.ts'
import { type InterruptState, newInterrupting } from '../turns/interrupting.ts'
import type { Screening } from '../voicemail/screen-answer.ts'
import { type ClauseState, newClauses } from '../wording/clauses.ts'
import type { CallCommand, EngineEnd, RequestedTool, Turn } from './call-events.ts'

export interface CallState {
  readonly phase: 'listening' | 'thinking' | 'speaking' | 'ended'
  readonly endpointing: EndpointState
  readonly interrupting: InterruptState
  readonly keypad: KeypadState
  /** Who has answered, as far as it is found out; null: it is not looked for. */
  readonly screening: Screening | null
  readonly caller: CallerSide
  /** The answer that a model is writing; null: none. */
  readonly answer: Answer | null
  /** What the agent is saying; null: nothing. */
  readonly utterance: Utterance | null
  /** Tools that an answer called; null: none runs. */
  readonly tools: RunningTools | null
  /** Answers with calls of tools since the last turn of the caller. */
  readonly toolRounds: number
  /** Tools have answered while the agent spoke: a model goes on afterwards. */
  readonly isAnswerDue: boolean
  readonly turns: readonly Turn[]
  /** What the agent was told to say, and has not begun to say. */
  readonly lines: readonly { readonly text: string; readonly isAtOnce: boolean }[]
  /** The last sign of life by which silence is measured: a word of the caller, or the end of the agent's speech. */
  readonly activeMs: number
  readonly remindersSaid: number
  /** The agent has said its last words, which the other side plays a moment later; null: it has not. */
  readonly leaving: { readonly reason: EngineEnd; readonly sinceMs: number } | null
  /** How often in a row sound without a word stopped the agent. */
  readonly falseStops: number
  /** Turns that were written for good. */
  readonly committed: number
  /** Numbers of the next request, piece and utterance. */
  readonly next: { readonly request: number; readonly piece: number; readonly utterance: number }
}

export interface CallerSide {
  /** Segments that are final, since the last turn of the caller. */
  readonly finals: readonly string[]
  /** The segment that is not. */
  readonly partial: string
  readonly startMs: number | null
  /** When the turn ended, while its words are waited for, or the agent is speaking; null: it has not. */
  readonly endedMs: number | null
}

export interface Answer {
  readonly request: number
  readonly clauses: ClauseState
  readonly requestedMs: number
  /** When it was requested first. */
  readonly askedMs: number
  /** When the model failed, after which it is asked again; null: it has not. */
  readonly failedMs: number | null
  readonly isRetry: boolean
  readonly isFillerSaid: boolean
  readonly isEnded: boolean
  readonly tools: readonly RequestedTool[]
}

export interface RunningTools {
  readonly calls: readonly (RequestedTool & { readonly result: string | null })[]
  readonly sinceMs: number
  readonly isFillerSaid: boolean
}

/** A piece of an utterance: first only text, then with its audio. */
export interface Piece extends SpokenPiece {
  readonly id: number
  /** Null: not requested from the synthesizer yet. */
  readonly requestedMs: number | null
  /** When audio of it, or the end of the piece before it, came last. */
  readonly audioAtMs: number
  readonly isRetry: boolean
  /** Of its audio, when another synthesizer was asked for the rest. */
  readonly retriedAfterMs: number
}

export interface Utterance {
  readonly id: number
  readonly pieces: readonly Piece[]
  readonly isInterruptible: boolean
  /** A reminder of a silent caller, which does not end the silence. */
  readonly isReminder: boolean
  readonly startMs: number
  readonly playedMs: number
  /** When `playedMs` last grew, or there was nothing to play. */
  readonly playedAtMs: number
  /** Null: it is played. */
  readonly stop: Stop | null
  /** After it the call ends. */
  readonly hangUp: EngineEnd | null
}

/** An utterance that the caller may have interrupted. */
export interface Stop {
  readonly sinceMs: number
  /** Whether the transport has dropped the rest, so that it is known what was played. */
  readonly isCleared: boolean
  /** `open`: not known yet whether the caller takes the turn. */
  readonly outcome: 'open' | 'confirmed' | 'resumed'
}

export const newCaller: CallerSide = { finals: [], partial: '', startMs: null, endedMs: null }

export const newCall: CallState = {
  phase: 'listening',
  endpointing: newEndpointing,
  interrupting: newInterrupting,
  keypad: newKeypad,
  screening: null,
  caller: newCaller,
  answer: null,
  utterance: null,
  tools: null,
  toolRounds: 0,
  isAnswerDue: false,
  turns: [],
  lines: [],
  activeMs: 0,
  remindersSaid: 0,
  leaving: null,
  falseStops: 0,
  committed: 0,
  next: { request: 1, piece: 1, utterance: 1 },
}

/** A call that another process began. When the caller had spoken last, an answer is due. */
export const resumedCall = (turns: readonly Turn[]): CallState => ({
  ...newCall,
  turns,
  committed: turns.length,
  isAnswerDue: turns.length > 0 && turns.at(-1)?.role !== 'agent',
})

export const newAnswer = (request: number, requestedMs: number, isRetry: boolean): Answer => ({
  request,
  clauses: newClauses,
  requestedMs,
  askedMs: requestedMs,
  failedMs: null,
  isRetry,
  isFillerSaid: false,
  isEnded: false,
  tools: [],
})

/** A step under way: the state so far, and the commands so far. */
export interface Draft {
  state: CallState
  readonly commands: CallCommand[]
}

/** What the caller said since the last turn. */
export function callerText({ finals, partial }: CallerSide): string {
  return [...finals, partial]
    .map((text) => text.trim())
    .filter(Boolean)
    .join(' ')
}
