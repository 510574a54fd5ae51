import { setTimeout as delay } from 'node:timers/promises'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { type Ledger, LedgerUnavailable } from '../src/ledger/ledger.ts'
import type { EvidenceKind } from './evidence.ts'
import { between } from './random.ts'
import { costOf, holdNano, judgementId, judgementsPerStep, runCap } from './workload.ts'

export interface RunJudging {
  readonly ledger: Ledger
  readonly ownerId: string
  readonly random: () => number
  readonly evidence: (kind: EvidenceKind, what: string) => void
  /** Each repetition of a question is charged as another one. */
  readonly forgetsJudgements: boolean
}

interface JudgedStep {
  readonly workspaceId: string
  readonly runId: string
  /** From 1. */
  readonly step: number
  readonly isTight: boolean
}

/** How often a worker looks whether another one has a verdict. */
const looks = 12

/**
 * Has the answers of a step judged, as the training service does: every worker asks under the same ids, so whoever comes
 * second finds the verdict. Whether all have one; otherwise the run goes no further for now.
 */
export async function judgeStep(judging: RunJudging, step: JudgedStep): Promise<boolean> {
  const asked = Array.from({ length: judgementsPerStep }, (_, answer) => judge(judging, step, answer))
  return (await Promise.all(asked)).every((hasVerdict) => hasVerdict)
}

async function judge(judging: RunJudging, { workspaceId, runId, step, isTight }: JudgedStep, answer: number) {
  const { ledger, ownerId, random, evidence, forgetsJudgements } = judging
  const billingId = forgetsJudgements ? uuidV7(Date.now()) : judgementId(runId, step, answer)
  const priced = { kind: 'judging', model: 'sim/judge', priceVersion: '1' }
  const hold = { billingId, workspaceId, amountNano: holdNano, ...priced, cap: runCap(runId, isTight) }
  for (let look = 0; look < looks; look += 1) {
    const fromMs = Date.now()
    const outcome = await ledger.hold(hold).catch(unavailable)
    evidence('event', `judge_${outcome}`)
    if (outcome === 'posted') return true
    // One whose worker has died is asked again, and settled late.
    if (outcome === 'held' || outcome === 'voided') {
      evidence('called', [billingId, workspaceId, ownerId, fromMs, Date.now()].join(' '))
      await delay(between(random, 2, 60))
      await ledger.settle({ billingId, workspaceId, costNano: costOf(billingId) })
      evidence('acked', billingId)
      return true
    }
    if (outcome !== 'open') return false
    await delay(between(random, 20, 80))
  }
  return false
}

function unavailable(error: unknown): 'unavailable' {
  if (error instanceof LedgerUnavailable) return 'unavailable'
  throw error
}
