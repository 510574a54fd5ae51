import type { Identity } from '@ratchet/contracts/identity'
import {
  checkpointTrainingHold,
  confirmTrainingHolds,
  releaseTrainingHold,
  settleTrainingHold,
  takeTrainingHold,
} from '@ratchet/contracts/internal-training-money'
import { workerIdentity, workspaceIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { backoff } from '@ratchet/service-kit/timing/backoff'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { JobHold, JobMoney } from './job-money.ts'
import type { HoldsKept } from './keep-holds.ts'

export interface HttpJobMoneyDeps {
  readonly inference: Pick<FleetClient, 'call'>
  /** Waits so many milliseconds between two attempts of a call. */
  readonly delay: (ms: number) => Promise<unknown>
  /** Uniform in [0, 1). */
  readonly random: () => number
  /**
   * A part of a cost was not charged: it is more than the hold had taken, or the hold was released because the training
   * service did not run for a day, and the wallet has too little.
   */
  readonly onUncovered: (hold: JobHold, uncoveredNano: bigint) => void
}

/** Attempts of a call within about two seconds. The work that made it repeats it later. */
const maxAttempts = 4

/** The id by which the ledger knows a hold. */
export function holdIdOf({ jobId, holdNumber }: Pick<JobHold, 'jobId' | 'holdNumber'>): string {
  return deterministicId('training hold', jobId, String(holdNumber))
}

/**
 * Money of training jobs in the ledger of inference. The id of a hold follows from the job, and costs are cumulative, so a
 * call whose answer was lost is repeated as it was, also by another process.
 */
export function createHttpJobMoney(deps: HttpJobMoneyDeps): JobMoney & HoldsKept {
  const charge = async (
    endpoint: typeof checkpointTrainingHold | typeof settleTrainingHold,
    hold: JobHold,
    costNano: bigint,
    trainedTokens: bigint,
  ) => {
    const body = { cost_nano: String(costNano), trained_tokens: String(trainedTokens) }
    const input = { params: { hold_id: holdIdOf(hold) }, body }
    const { job_cost_nano } = await repeated(deps, () => deps.inference.call(endpoint, input, identityOf(hold)))
    const uncoveredNano = costNano - BigInt(job_cost_nano)
    if (uncoveredNano > 0n) deps.onUncovered(hold, uncoveredNano)
  }
  return {
    async hold(hold, amountNano) {
      const { jobId: job_id, model, kind } = hold
      const named = kind === undefined ? {} : { kind }
      const body = { hold_id: holdIdOf(hold), job_id, amount_nano: String(amountNano), model, ...named }
      return repeated(deps, () => deps.inference.call(takeTrainingHold, { body }, identityOf(hold))).then(
        () => true,
        (error: unknown) => {
          if (error instanceof ServiceError && error.code === 'insufficient_balance') return false
          throw error
        },
      )
    },
    checkpoint: (hold, costNano, tokens) => charge(checkpointTrainingHold, hold, costNano, tokens),
    settle: (hold, costNano, tokens) => charge(settleTrainingHold, hold, costNano, tokens),
    async release(hold) {
      const input = { params: { hold_id: holdIdOf(hold) } }
      await repeated(deps, () => deps.inference.call(releaseTrainingHold, input, identityOf(hold)))
    },
    async keep(workspaceId, holds) {
      const named = new Map(holds.map((hold) => [holdIdOf(hold), hold]))
      const input = { body: { hold_ids: [...named.keys()] } }
      const identity = workspaceIdentity(workspaceId)
      const { data } = await repeated(deps, () => deps.inference.call(confirmTrainingHolds, input, identity))
      for (const { hold_id } of data) named.delete(hold_id)
      return [...named.values()]
    },
  }
}

function identityOf({ workspaceId, createdBy, keyId }: JobHold): Identity {
  const identity = workerIdentity(workspaceId, createdBy)
  return keyId == null ? identity : { ...identity, keyId }
}

/** @throws ServiceError `service_unavailable` after the last attempt; `insufficient_balance`, `conflict` or `not_found` at once */
async function repeated<T>({ delay, random }: HttpJobMoneyDeps, call: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof FleetCallError)) throw error
      if (!error.mayPass) throw refused(error)
      if (failures + 1 === maxAttempts) {
        const message = 'The ledger is unavailable at the moment. Retry.'
        throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause: error })
      }
      await delay(backoff(failures, { firstMs: 200, maxMs: 2_000, jitter: { share: 0.5, random } }))
    }
  }
}

const refusals = ['insufficient_balance', 'conflict', 'not_found'] as const

function refused(error: FleetCallError): Error {
  const code = refusals.find((each) => each === error.code)
  return code === undefined ? error : new ServiceError(code, error.message, { cause: error })
}
