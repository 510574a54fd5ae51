import type { BaseUrlRules } from '@ratchet/http/check-base-url'

/** Where a provider of speech is reached. */
export interface SpeechAccess {
  /** `https://host/path`. */
  readonly baseUrl: string
  readonly rules: BaseUrlRules
  readonly apiKey: string
}

/** What a recognizer of a provider is asked for. */
export interface RecognitionOrder {
  readonly model: string
  /** BCP 47. */
  readonly language: string
  /** Names and words that callers will probably say. */
  readonly keywords: readonly string[]
  /** Of the line. */
  readonly sampleRate: number
}

/** How a provider takes audio and returns text over a WebSocket. */
export interface RecognitionDialect {
  readonly access: SpeechAccess
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Sample rate of the audio that it is sent. */
  readonly sampleRate: number
  /** The talk of one connection, which begins with its greetings. */
  talk(): RecognitionTalk
}

export interface RecognitionTalk {
  /** Sent first. */
  readonly greetings: readonly string[]
  audio(pcm: Int16Array): string | Uint8Array
  /** What makes the segment so far final; null when there is nothing. */
  flush(): string | null
  /** To be asked after audio: what must be sent by itself; null for nothing. */
  due(): string | null
  /**
   * Reads a message of the provider.
   *
   * @returns `failed` for one that says that the talk is of no use
   * @throws when it is not what the provider documents
   */
  read(message: unknown): readonly HeardPart[] | 'failed'
}

export interface HeardPart {
  readonly text: string
  readonly isFinal: boolean
  /** Milliseconds of the talk's audio up to which nothing more will be recognized; null: not said. */
  readonly untilMs: number | null
}

/** 16 bits, the low byte first, as all providers take them. */
export function bytesOf(pcm: Int16Array): Uint8Array {
  return new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength)
}
