import type { Identity } from '@ratchet/contracts/identity'
import type { ModelReply } from '@ratchet/judge-kit/fleet/ask-model'
import { LoggingIsOff, type LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import { WorkPostponed } from '@ratchet/service-kit/with-lease'
import type { SnapshotReader } from '../labels/snapshot-reader.ts'
import { failureOfRefusal } from './failure-of-refusal.ts'
import type { JudgeExchange } from './judge-exchange.ts'
import type { JudgementFailure, JudgementOutcome, JudgementStore, LeasedJudgement } from './judgement.ts'
import type { Judge } from './process-judgement.ts'

export interface JudgeDeps {
  readonly judgeExchange: JudgeExchange
  readonly log: Pick<LogReader, 'entry'>
  readonly snapshots: SnapshotReader
  readonly judgements: Pick<JudgementStore, 'hasEarlierUnderWay'>
  readonly now: () => Date
}

/** How long work waits for what others hold of a cap, milliseconds. */
const heldDelayMs = 500

/**
 * The judge that does judgements. Each question has a key made of the judgement and the question itself, so that
 * asking again, after whatever happened, costs nothing and gives the same answer.
 *
 * A judgement that was planned with an instrument that the judge has no more is `gone`, and nobody is asked: what it would
 * prove is of no use to anybody, and a verdict of the new instrument must not be taken for one of the old.
 */
export function createJudge(deps: JudgeDeps): Judge {
  return async (judgement) => {
    if (judgement.instrument !== judgement.currentInstrument) {
      return failed('gone', 'The judge was changed before it came to this.')
    }
    if (!judgement.isRequested) return failed('gone', 'The judge was turned off before it came to this.')
    const identity = identityOf(judgement)
    const exchange = await readItem(deps, judgement)
    if (exchange === null) return failed('gone', 'The exchange is no longer there.')
    const { finding, replies } = await deps.judgeExchange({
      judgementId: judgement.id,
      identity,
      criterion: judgement.prompt,
      judgeModel: judgement.judgeModel,
      exchange,
      keyOf: (body) => deterministicId('judgement', judgement.id, body),
    })
    switch (finding.kind) {
      case 'verdict':
        return { ...paidFor(replies), verdict: finding.verdict, failure: null, explanation: finding.explanation }
      case 'unparseable':
        return failed('unparseable', 'The judge was asked twice and gave no verdict.', replies)
      case 'too_large':
        return failed('too_large', 'The exchange is larger than what is shown to a judge.')
      case 'refused': {
        const { failure, explanation } = failureOfRefusal(finding.refusal, judgement.spendCap, deps.now())
        if (failure === 'over_cap' && (await deps.judgements.hasEarlierUnderWay(judgement))) {
          // What others hold counts as spent until they are done. The first of all waits for nobody.
          throw new WorkPostponed('Others hold what is left of the cap.', heldDelayMs)
        }
        return failed(failure, explanation, replies)
      }
    }
  }
}

function identityOf({ workspaceId, askedBy, spendCap }: LeasedJudgement): Identity {
  const identity: Identity = { ...workerIdentity(workspaceId, askedBy), purpose: 'judge' }
  if (spendCap === null) return identity
  const { id, capNano, windowStart } = spendCap
  return { ...identity, spendCap: { id, capNano: String(capNano), windowStart: windowStart.toISOString() } }
}

async function readItem({ log, snapshots }: JudgeDeps, judgement: LeasedJudgement): Promise<JudgedExchange | null> {
  const { item, workspaceId, askedBy, judgedResponse: response } = judgement
  if (item.kind === 'snapshot') return snapshots.get(workspaceId, item.snapshotId)
  try {
    const entry = await log.entry(workerIdentity(workspaceId, askedBy), item.logId)
    if (entry === null || response === null) return entry
    const { messages, tools } = entry
    return { messages, tools, response, model: null }
  } catch (error) {
    if (error instanceof LoggingIsOff) return null
    throw error
  }
}

function failed(failure: JudgementFailure, explanation: string, replies: readonly ModelReply[] = []): JudgementOutcome {
  return { ...paidFor(replies), verdict: null, failure, explanation }
}

/** What answered last, and what all that was asked took. */
function paidFor(replies: readonly ModelReply[]) {
  const last = replies.at(-1)
  return {
    judgeModelResolved: last?.model ?? null,
    judgeFingerprint: last?.fingerprint ?? null,
    promptTokens: sumOf(replies.map((reply) => reply.promptTokens)),
    completionTokens: sumOf(replies.map((reply) => reply.completionTokens)),
    costNano: replies.reduce((sum, { costNano }) => sum + costNano, 0n),
  }
}

/** Null where nobody counted. */
function sumOf(counts: readonly (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null)
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0)
}
