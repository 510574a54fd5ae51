import type { OwnPostgres } from './faults/own-stores.ts'
import type { Fleet } from './fleet.ts'
import type { FleetProcess } from './start-process.ts'

export type TrainingFault = 'training' | 'worker' | 'inference' | 'postgres'
export const trainingFaults: readonly TrainingFault[] = ['training', 'worker', 'inference', 'postgres']

/**
 * Kills what a fleet trains with. Each fault is over before its promise resolves, so that the next one begins with a complete
 * fleet.
 */
export function killerOf(fleet: Fleet, postgres: OwnPostgres): (fault: TrainingFault) => Promise<void> {
  const running = { training: fleet.training, worker: fleet.trainingWorker, inference: fleet.inference }
  const restart: Readonly<Record<keyof typeof running, () => Promise<FleetProcess>>> = {
    training: fleet.restartTraining,
    worker: fleet.restartTrainingWorker,
    inference: fleet.restartInference,
  }
  return async (fault) => {
    if (fault === 'postgres') {
      await postgres.kill()
      await postgres.start()
      return
    }
    running[fault].signal('SIGKILL')
    await running[fault].exited
    running[fault] = await restart[fault]()
  }
}
