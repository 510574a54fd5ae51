import { z } from 'zod'

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
