import { createDataset } from '@ratchet/contracts/datasets'
import { createEval } from '@ratchet/contracts/evals'
import type { AfterTraining } from '@ratchet/contracts/fine-tuning-body'
import { publicId } from '@ratchet/contracts/public-id'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { GrpoPrompt } from '../grpo/runs/read-prompts.ts'
import type { BringToServe } from '../versions/bring-to-serve.ts'

/** A job, a run or a round whose training has succeeded and that wants an eval of what it made. */
export interface AfterTrainingJob {
  /** UUID of the job; of a run it is that of the run too. */
  readonly id: string
  readonly kind: 'fine_tuning' | 'grpo' | 'raft'
  /** UUID of the round that the job belongs to; null for another one. */
  readonly roundId: string | null
  readonly workspaceId: string
  readonly createdBy: string
  readonly finishedAt: Date
  readonly request: AfterTraining
  readonly evalDatasetId: string | null
  readonly version: { readonly id: string; readonly name: string }
}

/** Jobs that want evals. */
export interface AfterTrainingJobs {
  /** The oldest first; those of the last day. */
  pending(limit: number): Promise<readonly AfterTrainingJob[]>
  /** Prompts of a run that no step and no look has used; those of a round that were held out. */
  proofOf(
    job: Pick<AfterTrainingJob, 'id' | 'workspaceId' | 'roundId'>,
  ): Promise<readonly Pick<GrpoPrompt, 'messages' | 'tools'>[]>
  /** Notes the eval of a job, and connects it with the version. */
  setEval(job: AfterTrainingJob, evalId: string): Promise<void>
  /** Notes that none could be started. A run and a round show why. */
  setRefused(job: AfterTrainingJob, why: string): Promise<void>
}

export interface AfterEvalDeps {
  readonly jobs: AfterTrainingJobs
  readonly evals: Pick<FleetClient, 'call'>
  readonly logging: Pick<FleetClient, 'call'>
  readonly bringToServe: BringToServe
  /** Adds an event that the user sees. */
  readonly note: (job: AfterTrainingJob, message: string, level: 'info' | 'error') => Promise<void>
  readonly now: () => Date
}

/** Inference knows a new name a second after it was made. */
const newNameMs = 30_000
/** How long a version may take until engines serve it. */
const maxLoadingMs = 3_600_000
const jobsAtOnce = 50

/**
 * Starts the evals of jobs that have succeeded. A repetition finds the eval that was started. One that is refused is not tried
 * again, and the job says why. One that fails is tried again later, and holds up no other.
 *
 * @returns how many jobs it looked at
 * @throws the first failure, when all were looked at
 */
export async function startAfterEvals(deps: AfterEvalDeps): Promise<number> {
  const found = await deps.jobs.pending(jobsAtOnce)
  const failed: unknown[] = []
  for (const job of found) await startEval(deps, job).catch((error: unknown) => failed.push(error))
  if (failed.length > 0) throw failed[0]
  return found.length
}

async function startEval(deps: AfterEvalDeps, job: AfterTrainingJob): Promise<void> {
  const { jobs, evals, note, bringToServe, now } = deps
  const { id, workspaceId, createdBy, finishedAt, version } = job
  const refuse = async (reason: string) => {
    const why = `No eval was started after the training: ${reason}`
    await jobs.setRefused(job, why)
    await note(job, why, 'error')
  }
  const ageMs = now().getTime() - finishedAt.getTime()
  const reach = await bringToServe({ id: version.id, workspaceId }, createdBy)
  if (reach.kind === 'refused') return refuse(reach.why)
  if (reach.kind === 'soon') return ageMs < maxLoadingMs ? undefined : refuse('No engine has loaded the version.')
  try {
    const input = { body: evalOf(job, await promptsOf(deps, job)), idempotencyKey: `after-training-${id}` }
    const started = await evals.call(createEval, input, workerIdentity(workspaceId, createdBy))
    await jobs.setEval(job, started.id)
    await note(job, `The eval ${started.id} of ${version.name} has started.`, 'info')
  } catch (error) {
    if (!(error instanceof FleetCallError) || error.mayPass) throw error
    // What engines have just loaded has a new name too.
    const isNew = ageMs < (reach.byPool ? maxLoadingMs : newNameMs)
    if (error.code === 'model_not_found' && isNew) return
    await refuse(error.message)
  }
}

/**
 * The dataset that is asked; null: the log. The step of a run was chosen by its looks, so its proof has other prompts.
 *
 * @throws FleetCallError
 */
async function promptsOf({ jobs, logging }: AfterEvalDeps, job: AfterTrainingJob): Promise<string | null> {
  const { id, kind, workspaceId, createdBy, evalDatasetId } = job
  if (kind === 'fine_tuning') return evalDatasetId === null ? null : publicId('dataset', evalDatasetId)
  const producer = producerOf(job)
  const prompts = await jobs.proofOf(job)
  const examples = prompts.map(({ messages, tools }) => ({ messages, ...(tools === null ? {} : { tools }) }))
  const body = {
    name: `Proof of ${producer}`,
    description: `Held out prompts of ${producer} that were not trained on.`,
    format: 'prompts' as const,
    examples: examples as never,
  }
  const input = { body, idempotencyKey: deterministicId(`${kind}-proof`, id) }
  const { dataset } = await logging.call(createDataset, input, workerIdentity(workspaceId, createdBy))
  if (dataset === null) throw new Error('The dataset of a proof was not stored.')
  return dataset.id
}

/** The public id that a user knows. */
function producerOf({ id, kind, roundId }: AfterTrainingJob): string {
  if (roundId !== null) return publicId('raftRound', roundId)
  return publicId(kind === 'grpo' ? 'grpoRun' : 'fineTuningJob', id)
}

function evalOf(job: AfterTrainingJob, datasetId: string | null) {
  const { request, version } = job
  const { evalBaselineModel, criterionId, judgeModel, rubric, sampleCount } = request
  return {
    name: `After ${producerOf(job)}`,
    baseline_model: evalBaselineModel,
    candidate_models: [version.name],
    sample_count: sampleCount,
    sample_filters: datasetId === null ? {} : { dataset_id: datasetId },
    ...(criterionId == null ? {} : { criterion_id: criterionId }),
    ...(judgeModel == null ? {} : { judge_model: judgeModel }),
    ...(rubric == null ? {} : { rubric }),
  }
}
