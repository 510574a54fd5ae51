import { z } from 'zod'

/** Kinds of events of a call. */
export const callEventKinds = [
  'status',
  'partial',
  'turn',
  'interruption',
  'tool',
  'consent',
  'answered_by',
  'latency',
  'end',
] as const
export type CallEventKind = (typeof callEventKinds)[number]

export const CallEvent = z.object({
  object: z.literal('call.event'),
  seq: z.int().min(1).describe('Counts the events of a call.'),
  kind: z.enum(callEventKinds),
  at_ms: z.int().min(0).nullable().describe('Since the call was answered; null before.'),
  data: z.record(z.string(), z.unknown()),
})
export type CallEvent = z.infer<typeof CallEvent>
