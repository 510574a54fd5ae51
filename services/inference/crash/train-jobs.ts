import { setTimeout as delay } from 'node:timers/promises'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { LedgerUnavailable } from '../src/ledger/ledger.ts'
import type { JobCharge, JobHolds } from '../src/training-money/job-holds.ts'
import { judgeStep, type RunJudging } from './judge-run.ts'
import { between } from './random.ts'
import { type CrashWallet, isRun, isTightRun, jobAt, jobCosts, jobHoldNano, jobHolds, jobSlots } from './workload.ts'

/** The event of a cost that a wallet that never runs out was not charged. */
export const notCovered = 'job_not_covered'

export interface JobTraining extends RunJudging {
  readonly holds: JobHolds
}

/**
 * Trains a job as the training service does: it writes down what is durable, then has it charged, and repeats both after a
 * crash. Several workers train the same job at once, so each call is repeated, and comes in any order.
 */
export async function trainJob(training: JobTraining, { workspaceId, size }: CrashWallet): Promise<void> {
  const { holds, random, evidence } = training
  const slot = 1 + Math.floor(random() * jobSlots)
  const jobId = jobAt(workspaceId, Date.now(), slot)
  for (let n = 1; n <= jobHolds; n += 1) {
    const named = { holdId: deterministicId('job hold', jobId, String(n)), workspaceId }
    const asked = { ...named, jobId, amountNano: jobHoldNano, model: 'sim/large', kind: 'training' as const }
    const outcome = await holds.hold(asked).then(({ outcome }) => outcome, unavailable)
    evidence('event', `job_${outcome}`)
    if (outcome === 'refused' || outcome === 'busy' || outcome === 'unavailable') return
    if (!(await trainSteps(training, { ...named, jobId, n, slot, isRich: size === 'large' }))) return
  }
}

interface HeldJob {
  readonly holdId: string
  readonly workspaceId: string
  readonly jobId: string
  readonly n: number
  readonly slot: number
  readonly isRich: boolean
}

/** Whether all steps of the hold were charged, and the hold is settled. */
async function trainSteps(training: JobTraining, { jobId, n, slot, isRich, ...named }: HeldJob): Promise<boolean> {
  const { holds, random, evidence } = training
  const costs = jobCosts(n)
  for (const [index, costNano] of costs.entries()) {
    const step = { workspaceId: named.workspaceId, runId: jobId, step: (n - 1) * costs.length + index + 1 }
    if (isRun(slot) && !(await judgeStep(training, { ...step, isTight: isTightRun(slot) }))) return false
    await delay(between(random, 2, random() < 0.1 ? 600 : 40))
    evidence('trained', `${jobId} ${costNano}`)
    const isLast = costNano === costs.at(-1)
    const call = isLast ? holds.settle : holds.checkpoint
    const charge = await call({ ...named, costNano }).catch(unavailable)
    if (!isCharge(charge)) return false
    evidence('charged', `${jobId} ${charge.jobCostNano}`)
    if (charge.jobCostNano < costNano && isRich) evidence('event', notCovered)
  }
  return true
}

function isCharge(charge: JobCharge | 'unavailable' | undefined): charge is JobCharge {
  return charge !== undefined && charge !== 'unavailable'
}

function unavailable(error: unknown): 'unavailable' {
  if (error instanceof LedgerUnavailable) return 'unavailable'
  throw error
}
