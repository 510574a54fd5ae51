import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { CatalogModel } from '../catalog/catalog.ts'
import type { Dialect } from './dialect.ts'

/** How large an answer may become. It follows from the request, so that a provider cannot send more than was requested. */
export interface AnswerLimits {
  /** Bytes of a streamed answer as the provider sends it. */
  readonly maxStreamBytes: number
  /** Bytes of an unstreamed answer. */
  readonly maxReplyBytes: number
  /** Frames of a stream in the client's dialect. */
  readonly maxFrames: number
  /** Bytes of one such frame. */
  readonly maxFrameBytes: number
  /** Characters of generated text. */
  readonly maxCharacters: number
  /**
   * Reserves memory for further bytes of an answer that is collected, recorded or translated. False when the share of its
   * workspace is used up. Absent: without a limit.
   */
  readonly reserve?: ((bytes: number) => boolean) | undefined
}

export interface RequestedAnswer {
  readonly model: Pick<CatalogModel, 'kind' | 'maxOutputTokens' | 'capabilities'>
  readonly dialect: Dialect
  /** The request's limit of tokens per choice; null when it sets none. */
  readonly maxTokens: number | null
  /** Number of requested choices. */
  readonly n: number
  /** Number of messages, texts to embed, documents to rank, images or characters. */
  readonly items: number
  readonly requestBytes: number
}

/** Heads, comments that keep a connection open, signatures and other parts that do not depend on the tokens. */
const baseBytes = mebibyte
/** More than any provider sends: a token with twenty log probabilities, or the sound of a token, takes 3 kB. */
const bytesPerToken = 4_096
const baseFrames = 4_096
/** Some providers send each character in a separate frame. */
const framesPerToken = 16
/** Characters of a token are 4 on average. A long run of spaces can be one token. */
const charactersPerToken = 64
const baseCharacters = 65_536
/** Some providers do not count reasoning towards the limit of a request. Its tokens are plain text. */
const reasoning = { tokens: 32_768, bytesPerToken: 512, framesPerToken: 2, charactersPerToken: 8 }
/** A response repeats its request in three events, in which characters may be escaped. */
const repetitions = 6
/**
 * By kind, bytes of an unstreamed answer for each item: a vector of 8192 numbers with 25 digits each, an image in base64, a
 * character that is spoken slowly without compression, a transcript with the times of its words.
 */
const bytesPerItem: Readonly<Record<CatalogModel['kind'], number>> = {
  chat: 0,
  embedding: 204_800,
  rerank: 204_800,
  moderation: 204_800,
  image: 12 * mebibyte,
  speech: 16_384,
  transcription: 16 * mebibyte,
}

const maxStreamBytes = 128 * mebibyte
const maxReplyBytes = 32 * mebibyte
const maxResponseEventBytes = 16 * mebibyte
const maxCharacters = 4 * mebibyte

/** Generous limits of the answer to a request, up to fixed ones that bound the memory and time of any answer. */
export function answerLimits({ model, dialect, maxTokens, n, items, requestBytes }: RequestedAnswer): AnswerLimits {
  const perChoice = Math.min(maxTokens ?? model.maxOutputTokens, model.maxOutputTokens)
  const choices = Math.max(1, n)
  const tokens = Math.max(0, perChoice) * choices
  const reasons = model.capabilities.includes('reasoning')
  const thoughts = reasons ? Math.min(reasoning.tokens, model.maxOutputTokens) * choices : 0
  const repeatedBytes = dialect === 'responses' ? repetitions * requestBytes : 0
  const bytes = baseBytes + repeatedBytes + tokens * bytesPerToken + thoughts * reasoning.bytesPerToken
  const isChat = model.kind === 'chat'
  const itemBytes = isChat ? 0 : requestBytes + Math.max(1, items) * bytesPerItem[model.kind]
  const perText = tokens * charactersPerToken + thoughts * reasoning.charactersPerToken
  const characters = Math.min(maxCharacters, baseCharacters + perText)
  return {
    maxStreamBytes: Math.min(maxStreamBytes, bytes),
    maxReplyBytes: Math.min(maxReplyBytes, bytes + itemBytes),
    maxFrames: baseFrames + tokens * framesPerToken + thoughts * reasoning.framesPerToken,
    maxFrameBytes:
      dialect === 'responses' ? Math.min(maxResponseEventBytes, baseBytes + repeatedBytes + characters) : mebibyte,
    maxCharacters: characters,
  }
}
