import { z } from 'zod'

/** A queue's name and what its jobs carry: ids only, for the state of the work is in rows. */
export interface QueueDef<Payload extends z.ZodType = z.ZodType> {
  /** Without `:`. */
  readonly name: string
  readonly payload: Payload
}

/** One item that a judge is to look at. */
export const judgeQueue = {
  name: 'judge',
  payload: z.object({ judgementId: z.uuid() }),
} as const satisfies QueueDef

/** A piece of background work of a judge that may go on. */
export const judgeRunQueue = {
  name: 'judge-run',
  payload: z.object({ runId: z.uuid() }),
} as const satisfies QueueDef

/** One sample of an eval that is to be answered and judged. */
export const evalSampleQueue = {
  name: 'eval-sample',
  payload: z.object({ sampleId: z.uuid() }),
} as const satisfies QueueDef

/** An eval that may go on: its samples are to be drawn, or its report made. */
export const evalRunQueue = {
  name: 'eval-run',
  payload: z.object({ runId: z.uuid() }),
} as const satisfies QueueDef

/** The clock of the sweep that looks for drift. */
export const driftSweepQueue = {
  name: 'drift-sweep',
  payload: z.object({}),
} as const satisfies QueueDef
