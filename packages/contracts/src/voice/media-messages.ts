import { z } from 'zod'
import { callStatuses } from './calls.ts'
import { endReasons } from './end-reasons.ts'

/**
 * What a web call says on its WebSocket, beside audio. Audio is binary, both ways: 16-bit PCM, little-endian, mono, 16 kHz, in
 * frames of 20 ms.
 */
export const mediaFormat = { sampleRate: 16_000, frameMs: 20, frameBytes: 640 } as const

const id = z.int().min(1).max(1_000_000_000)
const playedMs = z.int().min(0).max(100_000_000)

/** Messages of the caller's side. */
export const MediaRequest = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('start'),
    /** The `client_token` of the call, or the `resume_token` of the last `ready`. */
    token: z.string().min(1).max(200),
    /** What was played of the last utterance of the connection that was lost. Utterances are counted anew on each. */
    played: z.strictObject({ id, ms: playedMs }).optional(),
  }),
  /** Milliseconds of an utterance that were played, from its first frame; about every 100 ms. */
  z.strictObject({ type: z.literal('played'), id, ms: playedMs }),
  /** The answer to `clear`: what was played of it in all. */
  z.strictObject({ type: z.literal('cleared'), id, ms: playedMs }),
  z.strictObject({ type: z.literal('dtmf'), key: z.string().regex(/^[0-9*#A-D]$/) }),
  /** The caller writes instead of speaking. */
  z.strictObject({ type: z.literal('text'), text: z.string().min(1).max(2_000) }),
  /** The caller hangs up. */
  z.strictObject({ type: z.literal('bye') }),
])
export type MediaRequest = z.infer<typeof MediaRequest>

/** Messages of the agent's side. */
export const MediaReply = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ready'),
    call_id: z.string(),
    /** Opens the call again, once, when the connection is lost. */
    resume_token: z.string(),
    resumed: z.boolean(),
    sample_rate: z.int(),
    frame_ms: z.int(),
  }),
  /** The audio that follows is of this utterance. */
  z.object({ type: z.literal('audio'), id }),
  /** Nothing more of this utterance may be played. It is answered with `cleared`. */
  z.object({ type: z.literal('clear'), id }),
  z.object({
    type: z.literal('transcript'),
    role: z.enum(['caller', 'agent', 'tool']),
    text: z.string(),
    /** False: what was recognized so far. */
    final: z.boolean(),
  }),
  z.object({ type: z.literal('state'), state: z.enum(['listening', 'thinking', 'speaking']) }),
  z.object({ type: z.literal('end'), status: z.enum(callStatuses), reason: z.enum(endReasons) }),
])
export type MediaReply = z.infer<typeof MediaReply>

/** Why the service closes a WebSocket. */
export const mediaCloseCodes = {
  /** The call has ended. */
  ended: 1_000,
  /** The worker stops: connect again with the resume token. */
  restart: 1_012,
  /** A message that is not of the protocol, or too many. */
  protocol: 1_008,
  /** The token is not accepted. */
  refused: 4_401,
  /** No `start` came in time. */
  late: 4_408,
  /** The call was opened again by another connection. */
  moved: 4_409,
  /** This worker has no room: connect again. */
  full: 4_503,
} as const
