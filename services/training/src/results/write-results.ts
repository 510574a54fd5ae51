import { writeFilePiece } from '@ratchet/contracts/internal-batches'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { DrivenJob } from '../driver/driver-store.ts'
import { resultLines, resultsHeader, type StepFigures } from './results-csv.ts'

export interface ResultSteps {
  /** The next steps with figures, ascending. */
  after(job: Pick<DrivenJob, 'id' | 'workspaceId'>, step: number, limit: number): Promise<readonly StepFigures[]>
}

export interface WriteResultsDeps {
  readonly results: ResultSteps
  readonly logging: Pick<FleetClient, 'call'>
  /** Adds an event that the user sees. */
  readonly note: (job: DrivenJob, message: string, level: 'error') => Promise<void>
}

/** Steps of a piece: at most some hundred kilobytes. */
const stepsOfPiece = 5_000
/** Tries of a job after which it ends without the file. */
const maxTries = 5

/**
 * Writes the file with the figures of each step of a job that ends. A repetition finds it, or begins it again.
 *
 * @returns the UUID of the file; null when there are no figures, or it could not be stored
 * @throws FleetCallError when another try may store it
 */
export async function writeResults(deps: WriteResultsDeps, job: DrivenJob): Promise<string | null> {
  const fileId = deterministicId('training-results', job.id)
  try {
    return (await write(deps, job, fileId)) ? fileId : null
  } catch (error) {
    if (!(error instanceof FleetCallError) || (error.mayPass && job.attempts < maxTries)) throw error
    await deps.note(job, `The file with the figures of the steps could not be stored: ${error.message}`, 'error')
    return null
  }
}

async function write({ results, logging }: WriteResultsDeps, job: DrivenJob, fileId: string): Promise<boolean> {
  const identity = workerIdentity(job.workspaceId, job.createdBy)
  let [position, bytes, steps] = [0, 0, await results.after(job, -1, stepsOfPiece)]
  if (steps.length === 0) return false
  for (;;) {
    const last = steps.at(-1)?.step ?? 0
    const next = await results.after(job, last, stepsOfPiece)
    const text = `${position === 0 ? resultsHeader : ''}${resultLines(steps)}`
    bytes += Buffer.byteLength(text)
    const file = { filename: 'step_metrics.csv', purpose: 'fine-tune-results' } as const
    const body = { ...file, position, text, total_bytes: bytes, is_last: next.length === 0 }
    await logging.call(writeFilePiece, { params: { file_id: fileId }, body }, identity)
    if (next.length === 0) return true
    position += 1
    steps = next
  }
}
