import type { KeypadSettings } from '../keypad/collect-keys.ts'
import type { EndpointSettings } from '../turns/endpointing.ts'
import type { InterruptSettings } from '../turns/interrupting.ts'

/** How a call is held. All of it is known before the call begins. */
export interface CallSettings {
  /** BCP 47. */
  readonly language: string
  /** What the agent says first; null: it waits for the caller. */
  readonly firstMessage: string | null
  readonly isFirstMessageInterruptible: boolean
  readonly endpointing: EndpointSettings
  readonly interrupting: InterruptSettings
  /** Null: keys are ignored. */
  readonly keypad: KeypadSettings | null
  /** What follows when a machine answers; null: none is looked for. */
  readonly voicemail: VoicemailSettings | null
  /** Without a word of the caller for this long, the call ends. */
  readonly silenceTimeoutMs: number
  /** Said one after the other, each after a third of `silenceTimeoutMs`. */
  readonly reminders: readonly string[]
  readonly maxDurationMs: number
  /** Tools of the workspace, by name. */
  readonly tools: Readonly<Record<string, ToolManner>>
  /** Whether the agent may end the call, by the tool `end_call`. */
  readonly canEndCall: boolean
  /** What the agent says when a part of the system fails. */
  readonly lines: CallLines
}

/** A call that a machine answers ends, after this message; null: without one. */
export interface VoicemailSettings {
  readonly message: string | null
}

/** What the agent does while a tool runs. */
export interface ToolManner {
  readonly speakAfterMs: number
  /** Null: it is silent. */
  readonly filler: string | null
}

export const endCallTool = 'end_call'
/** Sound without a word, such as music, stops the agent so often; then only words do. */
export const maxFalseStops = 2
/** Answers in a row that may call tools; then the model must speak. */
export const maxToolRounds = 4

export interface CallLines {
  /** While an answer takes long. */
  readonly filler: string
  /** When there will be no answer. */
  readonly apology: string
}

/** Bounds of waiting, so that no state lasts forever. */
export const bounds = {
  /** A filler is said. */
  fillerAfterMs: 8_000,
  /** The answer is requested again from the fallback. Also how long models that fail at once are asked again. */
  retryAfterMs: 15_000,
  /** Between two requests for the answer of a model that fails. */
  askAgainAfterMs: 1_500,
  /** The call ends with an apology. */
  giveUpAfterMs: 30_000,
  /** A tool counts as failed. */
  toolMs: 25_000,
  /** Without audio of a piece: it is requested again, and then the call ends. */
  speechAfterMs: 5_000,
  /** Without news of playout, although there is audio to play. */
  playoutAfterMs: 3_000,
  /** After the end of a turn without words: the recognizer may be late. */
  lateTextMs: 1_500,
  /** From the end of the last words to the end of the call: telephones play sound a moment after it has arrived. */
  tailMs: 200,
  /** A "yes" that is older than this when the agent ends was a sign of listening, and no answer to what the agent asked. */
  signAfterMs: 1_500,
} as const

/** Of an utterance, each of which is looked at with every event; the rest is not said. An answer of 1,000 tokens has a tenth of them. */
export const maxPieces = 500
/** Pieces that are synthesized at the same time. */
export const maxPiecesInFlight = 2
