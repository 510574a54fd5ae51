import type { Behaviour } from '../behaviour.ts'
import type { SimulatedModel } from '../simulated-model.ts'
import type { TokenCounts } from './token-counts.ts'

/** The input of a surface. */
export interface Call {
  seed: string
  /** Hex hash of the request's bytes. */
  name: string
  model: SimulatedModel
  body: Record<string, unknown>
  behaviour: Behaviour | null
}

/** One event of a stream with the number of its completion tokens (0 or 1). */
export interface Frame {
  /** Text, or bytes for a binary API; all frames of a stream have the same type. */
  data: string | Buffer
  tokens: number
}

/** Names and values alternate. */
export type RawHeaders = readonly string[]

/** A reply that is ready to be delivered, or to be corrupted first. */
export type Reply =
  | {
      /** Sent in one piece: JSON, unless `contentType` says otherwise. */
      kind: 'json'
      status: number
      body: string | Buffer
      tokens: number
      usage: TokenCounts | null
      headers?: RawHeaders
      contentType?: string
    }
  | {
      kind: 'stream'
      frames: Iterable<Frame>
      /** `text/event-stream; charset=utf-8` when absent. */
      contentType?: string
      /** The error of this surface after the stream has begun. */
      errorFrame: string | Buffer
      usage: TokenCounts
    }

/** Answers one parsed request of a surface. @throws WireError for a request the provider refuses */
export type Surface = (call: Call) => Reply

/**
 * Unix seconds within 2025-10-09 … 2026-02-02, derived from the request, so that replies can be compared byte for byte.
 */
export function createdAt(name: string): number {
  return 1_760_000_000 + (Number.parseInt(name.slice(0, 8), 16) % 10_000_000)
}

/** Identifies the build, as OpenAI does with the same member. */
export const systemFingerprint = 'fp_simulated1'
