import { CommaList } from '@ratchet/service-kit/process/comma-list'
import { z } from 'zod'
import { checkpointLimits } from './attempts/check-manifest.ts'

/** Settings of the API and the worker: the trainers of the installation. */
export const trainerConfig = {
  /**
   * Names of the trainers: `sim`, which needs no model and trains nothing, `process`, a program on the worker's machine,
   * `kubernetes`, a Job of a cluster, and `together` and `fireworks`, which are providers.
   */
  TRAINERS: CommaList.pipe(z.array(z.enum(['sim', 'process', 'kubernetes', 'together', 'fireworks']))).default(['sim']),
  /** Simulated attempts at the same time, of all workers. */
  SIM_SLOTS: z.coerce.number().int().min(1).max(100).default(2),
  /** Programs at the same time, of all workers: as many as there are GPUs, 1 without any. */
  PROCESS_SLOTS: z.coerce.number().int().min(1).max(100).default(1),
  /** Jobs of the cluster at the same time, those that wait for a place there included. */
  KUBERNETES_SLOTS: z.coerce.number().int().min(1).max(400).default(4),
  /** Jobs at each provider at the same time. */
  PROVIDER_SLOTS: z.coerce.number().int().min(1).max(400).default(16),
}
const TrainerConfig = z.object(trainerConfig)
type TrainerConfig = z.output<typeof TrainerConfig>
type TrainerName = TrainerConfig['TRAINERS'][number]

/** Attempts that may run at once, by trainer. */
export function slotsOf({ TRAINERS, ...config }: TrainerConfig): ReadonlyMap<TrainerName, number> {
  const slots = {
    sim: config.SIM_SLOTS,
    process: config.PROCESS_SLOTS,
    kubernetes: config.KUBERNETES_SLOTS,
    together: config.PROVIDER_SLOTS,
    fireworks: config.PROVIDER_SLOTS,
  }
  return new Map(TRAINERS.map((name) => [name, slots[name]]))
}

/** What trainers may do, as their spec says it. */
export const trainerLimits = {
  ...checkpointLimits,
  heartbeat_seconds: 10,
  lease_seconds: 35,
  grace_seconds: 660,
  max_events: 500,
}
