import type { Answerer } from '../voicemail/screen-answer.ts'

/** Why others than the caller and the agent end a call. */
export type OutsideEnd = 'api_stop' | 'insufficient_credits' | 'billing_unavailable'

/** Why a call ended, as far as the engine decides or is told it. */
export type EngineEnd =
  | 'max_duration'
  | 'silence'
  | 'stt_failed'
  | 'llm_failed'
  | 'tts_failed'
  | 'agent_hangup'
  | 'voicemail'
  | OutsideEnd

/** What happened. Times are milliseconds since the call was answered, of a monotonic clock. */
export type CallEvent = { readonly atMs: number } & (
  | { readonly kind: 'answered' }
  | { readonly kind: 'voice'; readonly windowMs: number; readonly probability: number; readonly isEcho: boolean }
  /** A segment of the caller's speech: the parts so far, or the whole. */
  | { readonly kind: 'recognized'; readonly text: string; readonly isFinal: boolean }
  /** The recognizer has failed for good. */
  | { readonly kind: 'recognition-failed' }
  /** The probability that the pause is the end of a turn. */
  | { readonly kind: 'verdict'; readonly probability: number }
  | { readonly kind: 'key'; readonly key: string }
  /** A long tone of the other side has ended, as of a mailbox that begins to record. */
  | { readonly kind: 'beep' }
  | { readonly kind: 'answer-text'; readonly request: number; readonly text: string }
  /** Tools that it calls; they begin when it has ended. */
  | { readonly kind: 'answer-tools'; readonly request: number; readonly calls: readonly RequestedTool[] }
  | { readonly kind: 'tool-result'; readonly id: string; readonly text: string }
  | { readonly kind: 'answer-end'; readonly request: number }
  | { readonly kind: 'answer-failed'; readonly request: number }
  /** More audio of a piece went to the transport. `words` count from the beginning of the piece. */
  | {
      readonly kind: 'speech-audio'
      readonly piece: number
      readonly durationMs: number
      readonly words: readonly { readonly text: string; readonly endMs: number }[]
    }
  | { readonly kind: 'speech-end'; readonly piece: number }
  | { readonly kind: 'speech-failed'; readonly piece: number }
  /** Milliseconds of an utterance that the caller's side has played. */
  | { readonly kind: 'played'; readonly utterance: number; readonly playedMs: number }
  /** The transport has dropped what was not played. */
  | { readonly kind: 'cleared'; readonly utterance: number; readonly playedMs: number }
  | { readonly kind: 'time' }
  /** The agent must say this: once nobody speaks, or at once. */
  | { readonly kind: 'say'; readonly text: string; readonly isAtOnce: boolean }
  | { readonly kind: 'end'; readonly reason: OutsideEnd }
  /** The caller hung up, or the connection is lost for good. */
  | { readonly kind: 'gone' }
)

/** What must be done. */
export type CallCommand =
  /** A language model answers the turns so far. */
  | {
      readonly kind: 'request-answer'
      readonly request: number
      readonly turns: readonly Turn[]
      readonly isRetry: boolean
      readonly mayCallTools: boolean
    }
  /** A result is awaited for each. It is called once, whatever happens in the call. */
  | ({ readonly kind: 'call-tool' } & RequestedTool)
  /** Nobody will hear the rest of the answer. It is read to its end, so that it is logged. */
  | { readonly kind: 'drain-answer'; readonly request: number }
  | {
      readonly kind: 'speak'
      readonly utterance: number
      readonly piece: number
      readonly text: string
      readonly isRetry: boolean
    }
  | { readonly kind: 'cancel-speech'; readonly piece: number }
  | { readonly kind: 'clear'; readonly utterance: number }
  | { readonly kind: 'duck' }
  | { readonly kind: 'unduck' }
  /** The recognizer should finish the segment, and the pause should be judged. */
  | { readonly kind: 'judge-pause' }
  | { readonly kind: 'commit-turn'; readonly turn: Turn }
  /** It is known who has answered. */
  | { readonly kind: 'note-answerer'; readonly by: Answerer }
  | { readonly kind: 'hang-up'; readonly reason: EngineEnd }

/** A part of the conversation, as both sides heard it. */
export interface Turn {
  readonly role: 'caller' | 'agent' | 'tool'
  readonly text: string
  readonly startMs: number
  readonly endMs: number
  /** Whether the caller stopped the agent before its end. */
  readonly isInterrupted: boolean
  /** Milliseconds of the agent's audio that were played; null for turns of the caller. */
  readonly playedMs: number | null
  /** Only of a tool, whose result `text` is. */
  readonly call?: RequestedTool
}

/** A call of a tool by a model. */
export interface RequestedTool {
  readonly id: string
  readonly name: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
}
