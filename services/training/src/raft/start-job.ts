import { createDataset } from '@ratchet/contracts/datasets'
import type { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import type { Identity } from '@ratchet/contracts/identity'
import { nanoToUsd } from '@ratchet/contracts/money'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { JobStore } from '../jobs/job-store.ts'
import { newJobOf } from '../jobs/new-job.ts'
import { type PrepareJobDeps, prepareJob } from '../jobs/prepare-job.ts'
import type { JobMoney } from '../money/job-money.ts'
import { jobRequestOf } from './job-request.ts'
import type { DrivenRound, RoundWork } from './round.ts'

export interface StartJobDeps extends PrepareJobDeps {
  readonly work: Pick<RoundWork, 'costs' | 'warn'>
  readonly logging: Pick<FleetClient, 'call'>
  readonly jobs: Pick<JobStore, 'create' | 'get'>
  readonly money: Pick<JobMoney, 'hold'>
  readonly now: () => Date
}

/**
 * Stores what is trained on as a dataset of the workspace, once.
 *
 * @returns its UUID
 * @throws FleetCallError
 */
export async function storeExamples(
  { logging }: Pick<StartJobDeps, 'logging'>,
  round: DrivenRound,
  examples: readonly object[],
): Promise<string> {
  const { id, workspaceId, createdBy, roundIndex } = round
  const name = `RAFT ${publicId('raftRound', id).slice(-8)}, round ${roundIndex + 1}`
  const description = `Answers of ${round.startModel} that the judges of ${publicId('raftRound', id)} accepted.`
  const body = { name, description: description.slice(0, 2_000), examples: [...examples] as never }
  const idempotencyKey = deterministicId('raft-dataset', id)
  const { dataset } = await logging.call(
    createDataset,
    { body, idempotencyKey },
    workerIdentity(workspaceId, createdBy),
  )
  const uuid = dataset === null ? null : uuidOf('dataset', dataset.id)
  if (uuid === null) throw new Error('The dataset of a round was not stored.')
  return uuid
}

/**
 * Creates the fine-tuning job of a round, with what is left of the maximum cost: without the answers that are asked for after it.
 *
 * @returns its UUID; `no_credit` while the wallet does not cover its hold; `over_cap` when nothing is left
 * @throws ServiceError when the job is refused
 */
export async function startJob(deps: StartJobDeps, round: DrivenRound): Promise<string | 'no_credit' | 'over_cap'> {
  const { workspaceId, createdBy, settings } = round
  const { samplesNano, beforeNano, jobNano } = await deps.work.costs(round)
  const leftNano = round.maxCostNano - samplesNano - jobNano - (beforeNano * 12n) / 10n
  if (leftNano < 1_000n) return 'over_cap'
  const id = deterministicId('raft-job', round.id, String(round.jobNumber))
  const known = await deps.jobs.get({ workspaceId, id })
  if (known !== null) return id
  const identity = workerIdentity(workspaceId, createdBy)
  const { request, prepared } = await prepareJobOf(deps, round, { identity, leftNano })
  const job = newJobOf(prepared, { id, identity, request, seed: settings.seed, createdAt: deps.now() })
  const hold = { workspaceId, jobId: id, holdNumber: 1, createdBy, model: job.baseModel }
  if (job.heldNano > 0n && !(await deps.money.hold(hold, job.heldNano))) return 'no_credit'
  await deps.jobs.create({ ...job, producer: { kind: 'raft', id: round.id } })
  return id
}

interface JobOrder {
  readonly identity: Identity
  readonly leftNano: bigint
}

/** A judge that is gone since the round began takes the eval with it, not the training. */
async function prepareJobOf(deps: StartJobDeps, round: DrivenRound, { identity, leftNano }: JobOrder) {
  const { baseModel, settings, roundIndex } = round
  const asked = jobRequestOf({
    request: settings.request,
    baseModel,
    datasetId: publicId('dataset', round.datasetId ?? ''),
    maxCostUsd: nanoToUsd((leftNano / 1_000n) * 1_000n),
    seed: settings.seed,
    roundIndex,
  })
  const prepare = async (request: CreateFineTuningJob) => {
    return { request, prepared: await prepareJob(deps, { identity, request, seed: settings.seed }) }
  }
  try {
    return await prepare(asked)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.param !== 'afterTraining.criterionId') throw error
    const prepared = await prepare({ ...asked, afterTraining: null })
    await deps.work.warn(round, `No eval will start after the training: ${error.message}`)
    return prepared
  }
}
