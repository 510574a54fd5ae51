import { z } from 'zod'

/** The name of a queue and the content of its jobs: only ids, because the state of the work is in Postgres. */
export interface QueueDef<Payload extends z.ZodType = z.ZodType> {
  /** Without `:`. */
  readonly name: string
  readonly payload: Payload
}

/** One item that a judge has to judge. */
export const judgeQueue = {
  name: 'judge',
  payload: z.object({ judgementId: z.uuid() }),
} as const satisfies QueueDef

/** A background run of a judge that can continue. */
export const judgeRunQueue = {
  name: 'judge-run',
  payload: z.object({ runId: z.uuid() }),
} as const satisfies QueueDef

/** One sample of an eval that has to be answered and judged. */
export const evalSampleQueue = {
  name: 'eval-sample',
  payload: z.object({ sampleId: z.uuid() }),
} as const satisfies QueueDef

/** An eval that can continue: its samples have to be drawn, or its report has to be made. */
export const evalRunQueue = {
  name: 'eval-run',
  payload: z.object({ runId: z.uuid() }),
} as const satisfies QueueDef

/** The timer of the check for drift. */
export const driftSweepQueue = {
  name: 'drift-sweep',
  payload: z.object({}),
} as const satisfies QueueDef

/** One request of a batch that has to be answered. */
export const batchLineQueue = {
  name: 'batch-line',
  payload: z.object({ lineId: z.uuid() }),
} as const satisfies QueueDef

/** A batch that can continue: it can end, or its files have to be written. */
export const batchQueue = {
  name: 'batch',
  payload: z.object({ batchId: z.uuid() }),
} as const satisfies QueueDef
