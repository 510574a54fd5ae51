import type { TimedWord } from '../heard/utterance.ts'
import type { RequestedTool, Turn } from './call-events.ts'

/** The line to the caller, whatever carries it. Audio is 16-bit PCM at `sampleRate`, both ways. */
export interface CallTransport {
  readonly sampleRate: number
  /** Queues audio of an utterance behind what is queued already. The first audio of an utterance has the full volume. */
  play(utterance: number, pcm: Int16Array): void
  /** Drops what is queued. Audio of this utterance that comes later is dropped too. `onCleared` follows. */
  clear(utterance: number): void
  /** The volume from now on, in decibels: 0 or less. */
  setVolume(db: number): void
  hangUp(): void
}

export interface TransportEvents {
  /** Audio of the caller. */
  onAudio(pcm: Int16Array): void
  onKey(key: string): void
  /** The caller wrote instead of speaking. */
  onText(text: string): void
  /** Milliseconds of an utterance that the caller's side has played so far. */
  onPlayed(utterance: number, playedMs: number): void
  /** What was played of it in all. */
  onCleared(utterance: number, playedMs: number): void
  onGone(): void
}

/** Speech to text for one call. */
export interface Recognizer {
  push(pcm: Int16Array): void
  /** The caller pauses: what was recognized so far becomes final soon. */
  flush(): void
  close(): void
}

export interface RecognizerEvents {
  /** A segment so far; `isFinal`: all of it. */
  onText(text: string, isFinal: boolean): void
  /** Nothing will be recognized any more. */
  onFailed(): void
}

/** Text to speech for one call. */
export interface Synthesizer {
  /** @returns a function that ends it; nothing is reported afterwards */
  speak(
    request: { readonly text: string; readonly isRetry: boolean },
    events: {
      /** @param words those that end in this audio; times count from the beginning of the text's audio */
      onAudio(pcm: Int16Array, words: readonly TimedWord[]): void
      onEnd(): void
      onFailed(): void
    },
  ): () => void
}

/** A model that writes what the agent says. */
export interface AnswerWriter {
  /** @returns a function that says that nobody waits for the rest; it is read to its end, for the log */
  answer(
    request: { readonly turns: readonly Turn[]; readonly isRetry: boolean; readonly mayCallTools: boolean },
    events: {
      onText(text: string): void
      /** Before its end. */
      onTools(calls: readonly RequestedTool[]): void
      onEnd(): void
      onFailed(): void
    },
  ): () => void
}

/** Tells speech from other sound. */
export interface SpeechDetector {
  push(pcm: Int16Array): readonly SpeechWindow[]
}

export interface SpeechWindow {
  readonly windowMs: number
  /** That it is speech, 0 to 1. */
  readonly probability: number
  /** Whether it is the agent's own voice, coming back. */
  readonly isEcho: boolean
}

/** Judges whether a pause is the end of a turn. */
export interface EndJudge {
  /** @param onVerdict called once with a probability, or never when there is none */
  judge(onVerdict: (probability: number) => void): void
}

/** Calls tools of the workspace. */
export interface ToolCaller {
  /** @param onResult called once, with text for a model, also for a call that failed */
  call(tool: RequestedTool, onResult: (text: string) => void): void
}
