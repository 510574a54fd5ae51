import { CommaList } from '@ratchet/service-kit/process/comma-list'
import { z } from 'zod'
import { kubernetesConfig, startKubernetesTrainer } from './start-kubernetes.ts'
import { providerConfig, startFireworksTrainer, startTogetherTrainer } from './start-providers.ts'
import { slotsOf, trainerConfig, trainerLimits } from './start-trainers.ts'
import { createProcessTrainer } from './trainers/process/process-trainer.ts'
import { createSimTrainer } from './trainers/sim/sim-trainer.ts'
import type { Trainer } from './trainers/trainer.ts'

/** Settings of the worker: its trainers. */
export const workerTrainerConfig = {
  ...trainerConfig,
  ...kubernetesConfig,
  ...providerConfig,
  /** Shortest duration of a simulated job, milliseconds. */
  SIM_JOB_MS: z.coerce.number().int().min(0).max(3_600_000).default(1_500),
  /** The program of `process` and its arguments, separated by commas, such as `/opt/trainers/bin/python,-m,ratchet_trainers`. */
  PROCESS_COMMAND: CommaList,
  /** All variables of the program, such as `PATH=/usr/bin,HF_HOME=/models`; it does not see those of the worker. */
  PROCESS_ENVIRONMENT: CommaList.transform((pairs) =>
    Object.fromEntries(pairs.map((pair) => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)])),
  ),
  /** Memory that each program may fill, megabytes; absent: all there is. Linux only. */
  PROCESS_MEMORY_MB: z.coerce.number().int().min(256).optional(),
  /** Whether what the program writes about errors is shown. It may quote examples. */
  PROCESS_SHOWS_ERRORS: z.stringbool().default(false),
}
const WorkerTrainerConfig = z.object(workerTrainerConfig)
type WorkerTrainerConfig = z.output<typeof WorkerTrainerConfig>

interface TrainerParts {
  readonly now: () => Date
  readonly onFailed: (error: unknown) => void
  readonly onExit: () => void
}

/** The trainers of this worker, by name. @throws Error when a setting of one is missing or wrong */
export async function createTrainers(
  config: WorkerTrainerConfig,
  { now, onFailed, onExit }: TrainerParts,
): Promise<ReadonlyMap<string, Trainer>> {
  const slots = slotsOf(config)
  const trainers = new Map<string, Trainer>()
  const simSlots = slots.get('sim')
  if (simSlots !== undefined) {
    const retryForMs = trainerLimits.lease_seconds * 1_000
    trainers.set('sim', createSimTrainer({ slots: simSlots, jobMs: config.SIM_JOB_MS, now, retryForMs, onExit }))
  }
  const processSlots = slots.get('process')
  if (processSlots !== undefined) {
    const [program, ...parameters] = config.PROCESS_COMMAND
    if (program === undefined) throw new Error('PROCESS_COMMAND is missing, but `process` is among TRAINERS')
    const command = [program, ...parameters] as const
    const errors = config.PROCESS_SHOWS_ERRORS ? 'inherit' : 'ignore'
    const graceMs = trainerLimits.grace_seconds * 1_000
    const environment = config.PROCESS_ENVIRONMENT
    const maxMemoryBytes = memoryOf(config)
    trainers.set(
      'process',
      createProcessTrainer({ command, slots: processSlots, environment, errors, maxMemoryBytes, graceMs, onExit }),
    )
  }
  const kubernetesSlots = slots.get('kubernetes')
  if (kubernetesSlots !== undefined) trainers.set('kubernetes', await startKubernetesTrainer(config, kubernetesSlots))
  const providers = { together: startTogetherTrainer, fireworks: startFireworksTrainer } as const
  for (const name of ['together', 'fireworks'] as const) {
    const providerSlots = slots.get(name)
    if (providerSlots !== undefined) {
      trainers.set(
        name,
        providers[name](config, {
          slots: providerSlots,
          now,
          retryForMs: trainerLimits.lease_seconds * 1_000,
          onFailed,
          onExit,
        }),
      )
    }
  }
  return trainers
}

function memoryOf({ PROCESS_MEMORY_MB: megabytes }: WorkerTrainerConfig): number | null {
  if (megabytes === undefined) return null
  if (process.platform !== 'linux') throw new Error('PROCESS_MEMORY_MB needs Linux. Leave it out on other systems.')
  return megabytes * 1_048_576
}
