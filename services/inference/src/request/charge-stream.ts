import type { StreamTracker } from '../surfaces/surface.ts'
import type { ProviderRequest } from '../wire/provider.ts'
import { noUsage } from '../wire/usage.ts'
import { type AnswerDeps, answerContext } from './answer-deps.ts'
import { type FinishedAnswer, finishStream } from './completion-hooks.ts'
import { type PricedAnswer, priceAnswer, type SeenAnswer } from './price-answer.ts'
import type { FundedRequest } from './request-records.ts'
import { leaveUnrecorded } from './unrecorded-answer.ts'

/** A stream that has ended, before it is charged. */
export interface EndedStream {
  readonly tracker: StreamTracker
  readonly seen: SeenAnswer
  readonly servedRequest: ProviderRequest
  /** Undefined when nothing was sent to the client. */
  readonly firstByteAt: Date | undefined
  readonly latencyMs: number
}

/** Charges a complete answer, and calls the completion hooks before and after. */
export async function chargeStream(
  deps: AnswerDeps,
  funded: FundedRequest,
  ended: EndedStream,
): Promise<PricedAnswer & { readonly chargedNano: bigint }> {
  const { completionHook, billing, arm, identity } = funded
  const priced = await priceAnswer(deps.countTokensOf(identity.workspaceId), ended.seen)
  const finished = finish(deps, funded, ended, priced)
  if (finished !== null) await completionHook?.beforeCharge(finished)
  const logRow = finished === null ? null : completionHook?.logRow(finished)
  const chargedNano = await billing.settle(priced.costNano, priced.usage, logRow)
  arm?.answered(ended.servedRequest.model.id, { costNano: chargedNano, latencyMs: ended.latencyMs })
  if (finished !== null) await completionHook?.afterCharge(finished)
  return { ...priced, chargedNano }
}

/** The answer is assembled from its stream only when a completion hook needs it, because that takes time. */
function finish(
  deps: AnswerDeps,
  funded: FundedRequest,
  { tracker, servedRequest, firstByteAt }: EndedStream,
  priced: PricedAnswer,
): FinishedAnswer | null {
  const { surface, completionHook, billing, facts } = funded
  if (completionHook === null) return null
  const context = answerContext(deps, servedRequest, facts)
  const finished = finishStream(tracker.assemble(), { surface, priced, context, holdNano: billing.holdNano })
  if (finished === null) leaveUnrecorded(deps, funded, { isFull: tracker.isFull, usage: priced.usage })
  return finished === null || firstByteAt === undefined ? finished : { ...finished, firstByteAt }
}

/**
 * Charges the part of an answer that was generated before it was stopped.
 *
 * @param owesHold true when all that was held must be paid
 */
export async function chargePart(
  { countTokensOf }: Pick<AnswerDeps, 'countTokensOf'>,
  { completionHook, billing, identity }: Pick<FundedRequest, 'completionHook' | 'billing' | 'identity'>,
  { seen, owesHold }: { readonly seen: SeenAnswer; readonly owesHold: boolean },
): Promise<void> {
  const { costNano, usage } = await priceAnswer(countTokensOf(identity.workspaceId), seen)
  completionHook?.abandoned(usage.promptTokens + usage.completionTokens)
  await billing.settle(owesHold ? billing.holdNano : costNano, usage)
}

/**
 * Ends the hold of an answer that failed.
 *
 * @param owed what must be paid all the same: what was generated, or nano-dollars for calls of the provider's own tools
 */
export async function settleBroken(
  deps: Pick<AnswerDeps, 'countTokensOf'>,
  funded: Pick<FundedRequest, 'completionHook' | 'billing' | 'identity'>,
  owed: SeenAnswer | bigint,
): Promise<void> {
  if (typeof owed !== 'bigint') return chargePart(deps, funded, { seen: owed, owesHold: false })
  const { completionHook, billing } = funded
  completionHook?.abandoned(0)
  await (owed > 0n ? billing.settle(owed, noUsage) : billing.release())
}
