import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProcessTrainer } from '../trainers/process/process-trainer.ts'
import type { Trainer } from '../trainers/trainer.ts'

const trainers = fileURLToPath(new URL('../../../../trainers', import.meta.url))

export const pythonTests = path.join(trainers, 'tests')
export const pythonEnvironment = {
  PYTHONPATH: [path.join(trainers, 'src'), pythonTests].join(':'),
  PYTHONDONTWRITEBYTECODE: '1',
  OMP_NUM_THREADS: '1',
  OMP_WAIT_POLICY: 'PASSIVE',
  HF_HUB_OFFLINE: '1',
}

/**
 * Trains with the Python package, one attempt at a time.
 *
 * @param python the interpreter with the packages of `trainers/`
 */
export function pythonTrainer(python: string): (onExit: (name: string) => void) => Trainer {
  const settings = {
    command: [python, '-m', 'ratchet_trainers'],
    slots: 1,
    environment: pythonEnvironment,
    errors: 'inherit',
    maxMemoryBytes: null,
    graceMs: 30_000,
  } as const
  return (onExit) => createProcessTrainer({ ...settings, onExit })
}
