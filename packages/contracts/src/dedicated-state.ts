import { z } from 'zod'

/** States of a dedicated endpoint. Also lists of models name them, and every page reads those. */
export const dedicatedStates = [
  'PENDING',
  'STARTING',
  'RUNNING',
  'UPDATING',
  'SCALED_TO_ZERO',
  'STOPPING',
  'STOPPED',
  'FAILED',
  'DELETED',
] as const
export const DedicatedState = z.enum(dedicatedStates)
export type DedicatedState = z.infer<typeof DedicatedState>
