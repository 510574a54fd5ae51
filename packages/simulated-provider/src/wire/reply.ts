import type { Behaviour } from '../behaviour.ts'
import type { SimulatedModel } from '../simulated-model.ts'
import type { Usage } from './usage.ts'

/** What a surface answers from. */
export interface Call {
  seed: string
  /** Hex name of the request's bytes. */
  name: string
  model: SimulatedModel
  body: Record<string, unknown>
  behaviour: Behaviour | null
}

/** One event of a stream and how many of the completion's tokens it carries (0 or 1). */
export interface Frame {
  /** Text, or the bytes of a wire that is binary; all frames of a stream are one or the other. */
  data: string | Buffer
  tokens: number
}

/** Names and values in turn. */
export type RawHeaders = readonly string[]

/** A reply ready to be delivered, or to be spoiled first. */
export type Reply =
  | { kind: 'json'; status: number; body: string; tokens: number; usage: Usage | null; headers?: RawHeaders }
  | {
      kind: 'stream'
      frames: Iterable<Frame>
      /** `text/event-stream; charset=utf-8` when absent. */
      contentType?: string
      /** How this surface reports an error once the stream has begun. */
      errorFrame: string | Buffer
      usage: Usage
    }

/** Answers one parsed request of a surface. @throws WireError for a request the provider refuses */
export type Surface = (call: Call) => Reply

/** Seconds since 1970 within 2025-10-09 … 2026-02-02, decided by the request: replies can be compared byte for byte. */
export function createdAt(name: string): number {
  return 1_760_000_000 + (Number.parseInt(name.slice(0, 8), 16) % 10_000_000)
}

/** Names the build that answers, as OpenAI does with the same member. */
export const systemFingerprint = 'fp_simulated1'
