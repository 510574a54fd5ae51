import { CommaList } from '@ratchet/service-kit/process/comma-list'
import { z } from 'zod'
import { checkpointLimits } from './attempts/check-manifest.ts'

/** Settings of the API and the worker: the trainers of the installation. */
export const trainerConfig = {
  /** Names of the trainers: `sim`, which needs no model and trains nothing. */
  TRAINERS: CommaList.pipe(z.array(z.enum(['sim']))).default(['sim']),
  /** Simulated attempts at the same time, of all workers. */
  SIM_SLOTS: z.coerce.number().int().min(1).max(100).default(2),
}
const TrainerConfig = z.object(trainerConfig)
type TrainerConfig = z.output<typeof TrainerConfig>

/** Attempts that may run at once, by trainer. */
export function slotsOf({ TRAINERS, SIM_SLOTS }: TrainerConfig): ReadonlyMap<string, number> {
  return new Map(TRAINERS.map((name) => [name, SIM_SLOTS]))
}

/** What trainers may do, as their spec says it. */
export const trainerLimits = {
  ...checkpointLimits,
  heartbeat_seconds: 10,
  lease_seconds: 35,
  grace_seconds: 660,
  max_events: 500,
}
