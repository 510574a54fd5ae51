import { trainerExits } from '@ratchet/contracts/trainer-protocol'
import type { AttemptEnd, AttemptStore } from '../attempts/attempt.ts'
import type { AttemptId } from '../attempts/job-token.ts'
import { attemptOfName, type StartedTrainer, type Trainer } from '../trainers/trainer.ts'

export interface ReconcileDeps {
  readonly trainers: Iterable<Trainer>
  readonly attempts: Pick<AttemptStore, 'isRunning' | 'keepWaiting' | 'end'>
  /** Time without a heartbeat after which an attempt is lost, milliseconds. */
  readonly leaseMs: number
  readonly onEvent: (event: TrainerEvent) => void
}

/** `orphan_stopped`: it ran without an attempt. `exited`: it exited while its attempt was still running. */
export interface TrainerEvent {
  readonly kind: 'orphan_stopped' | 'exited'
  readonly trainer: string
  readonly name: string
  readonly exitCode: number | null
}

/**
 * Compares what trainers run with the attempts that should, and ends what differs.
 *
 * @throws AggregateError after all, with what failed: a cluster that cannot be reached keeps no other trainer waiting
 */
export async function reconcileTrainers(deps: ReconcileDeps): Promise<void> {
  const errors: unknown[] = []
  for (const trainer of deps.trainers) {
    try {
      for (const started of await trainer.list()) await reconcile(deps, trainer, started)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'trainers could not be compared with their attempts')
}

async function reconcile(
  { attempts, leaseMs, onEvent }: ReconcileDeps,
  trainer: Trainer,
  { name, exitCode, isWaiting = false }: StartedTrainer,
): Promise<void> {
  const attempt = attemptOfName(name)
  const isRunning = attempt !== null && (await attempts.isRunning(attempt))
  const event = { trainer: trainer.name, name, exitCode }
  if (exitCode === null) {
    if (isRunning && isWaiting) await attempts.keepWaiting(attempt as AttemptId, leaseMs)
    if (isRunning) return
    onEvent({ ...event, kind: 'orphan_stopped' })
    await trainer.stop(name, 'now')
    return await trainer.forget(name)
  }
  if (isRunning) {
    onEvent({ ...event, kind: 'exited' })
    await attempts.end(attempt as AttemptId, endOf(exitCode))
  }
  await trainer.forget(name)
}

function endOf(exitCode: number): AttemptEnd {
  if (exitCode === trainerExits.stopped) return { exit: 'stopped' }
  const message = `The trainer exited with code ${exitCode} without a result.`
  return { exit: 'lost', code: 'trainer_lost', message, retryable: true }
}
