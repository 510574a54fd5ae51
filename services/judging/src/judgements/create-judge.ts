import { costOfReplies } from '@ratchet/judge-kit/fleet/call-judge'
import type { ModelReply } from '@ratchet/judge-kit/fleet/call-model'
import type { JudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import { LoggingIsOff, type LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { payingIdentity, workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { WorkPostponed } from '@ratchet/work-kit/leases/decide-retry'
import type { SnapshotReader } from '../labels/pg-snapshots.ts'
import type { CapNotices } from '../monitor/cap-notice.ts'
import { failureOfRefusal, isOverWeeklyCap } from './failure-of-refusal.ts'
import type { JudgementFailure, JudgementOutcome, JudgementStore, LeasedJudgement } from './judgement.ts'
import type { Judge } from './process-judgement.ts'
import { type RunContent, readRun } from './read-run.ts'

export interface JudgeDeps {
  readonly judgeExchange: JudgeExchange
  readonly log: Pick<LogReader, 'entry'>
  readonly snapshots: SnapshotReader
  readonly judgements: Pick<JudgementStore, 'hasEarlierUnderWay' | 'hasOthersUnderWay'>
  readonly capNotices: CapNotices
  readonly now: () => Date
}

/** Delay while other judgements hold the rest of a cap. */
const heldDelayMs = 500

/**
 * Judges the item of a judgement. The Idempotency-Key of a call is derived from the judgement and the request body, so
 * that a retry is charged once and gets the same answer.
 *
 * A judgement that was planned with an older instrument is `gone` without a call: a verdict of the new instrument must not
 * count for the old one.
 */
export function createJudge(deps: JudgeDeps): Judge {
  return async (judgement) => {
    if (judgement.instrument !== judgement.currentInstrument) {
      return failed('gone', 'The judge was changed before it judged this item.')
    }
    if (!judgement.isRequested) return failed('gone', 'The judge was turned off before it judged this item.')
    const exchange = await readItem(deps, judgement)
    if (exchange === null) return failed('gone', 'The exchange does not exist any more.')
    if (exchange === 'too_large') return tooLarge()
    const { finding, replies } = await deps.judgeExchange({
      judgementId: judgement.id,
      identity: payingIdentity({ ...judgement, userId: judgement.requestedBy, purpose: 'judge' }),
      criterion: judgement.prompt,
      judgeModel: judgement.judgeModel,
      checks: judgement.checks,
      exchange,
      unit: judgement.unit,
      keyOf: (body) => deterministicId('judgement', judgement.id, body),
    })
    switch (finding.kind) {
      case 'chosen':
        return { ...usageOf(replies), verdict: finding.choice, failure: null, explanation: finding.explanation }
      case 'unparseable':
        return failed('unparseable', finding.explanation ?? 'The judge gave no readable verdict in two calls.', replies)
      case 'too_large':
        return tooLarge()
      case 'refused': {
        if (isOverWeeklyCap(finding.refusal, judgement.spendCap, deps.now())) await noteCap(deps, judgement)
        const { failure, explanation } = failureOfRefusal(finding.refusal, judgement.spendCap, deps.now())
        if (failure === 'over_cap' && (await deps.judgements.hasEarlierUnderWay(judgement))) {
          // Holds of running judgements count as spent. Only those with lower ids are waited for, so one always proceeds.
          throw new WorkPostponed('Other judgements hold the rest of the cap.', heldDelayMs)
        }
        return failed(failure, explanation, replies)
      }
    }
  }
}

/** Holds of running judgements count as spent, so a refusal shows that the cap is reached only when no other one runs. */
async function noteCap({ judgements, capNotices, now }: JudgeDeps, judgement: LeasedJudgement): Promise<void> {
  if (await judgements.hasOthersUnderWay(judgement)) return
  const { workspaceId, criterionId: id } = judgement
  await capNotices.note({ workspaceId, id }, now())
}

async function readItem({ log, snapshots }: JudgeDeps, judgement: LeasedJudgement): Promise<RunContent> {
  const { item, workspaceId, requestedBy, judgedResponse: response } = judgement
  if (item.kind === 'snapshot') return snapshots.get(workspaceId, item.snapshotId)
  const identity = workerIdentity(workspaceId, requestedBy)
  try {
    if (item.kind === 'run') return await readRun(log, identity, item.stepIds)
    const entry = await log.entry(identity, item.logId)
    if (entry === null || response === null) return entry
    const { messages, tools } = entry
    return { messages, tools, response, model: null }
  } catch (error) {
    if (error instanceof LoggingIsOff) return null
    throw error
  }
}

function tooLarge(): JudgementOutcome {
  return failed('too_large', 'The exchange is too large for a judge prompt.')
}

function failed(failure: JudgementFailure, explanation: string, replies: readonly ModelReply[] = []): JudgementOutcome {
  return { ...usageOf(replies), verdict: null, failure, explanation }
}

/** The model of the last reply, and the usage of all replies. */
function usageOf(replies: readonly ModelReply[]) {
  const last = replies.at(-1)
  return {
    judgeModelResolved: last?.model ?? null,
    judgeFingerprint: last?.fingerprint ?? null,
    promptTokens: sumOf(replies.map((reply) => reply.promptTokens)),
    completionTokens: sumOf(replies.map((reply) => reply.completionTokens)),
    costNano: costOfReplies(replies),
  }
}

/** Null when no reply has a count. */
function sumOf(counts: readonly (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null)
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0)
}
