import { responseObject } from '../wire/responses/response-object.ts'
import { noUsage } from '../wire/usage.ts'
import { type AnswerDeps, unixSeconds } from './answer-deps.ts'
import { showLogged } from './capture-answer.ts'
import { type CompletionHook, finishStream } from './completion-hooks.ts'
import { replayAnswer, reserveReplay } from './replay-answer.ts'
import type { PlannedRequest } from './request-records.ts'
import { type HoldDeps, takeHold } from './take-hold.ts'

/**
 * True for a request of the Responses API that asks for no answer (`generate: false`), only for a response that a later
 * request can continue. Agents send it while a person still writes.
 */
export function onlyPrepares({ surface, body }: Pick<PlannedRequest, 'surface' | 'body'>): boolean {
  return surface.dialect === 'responses' && body.generate === false
}

export interface PreparedHooks {
  /** Stores the response. */
  readonly storeHook: CompletionHook | null
  /** All other hooks. */
  readonly completionHook: Required<CompletionHook> | null
}

/**
 * Answers with a response without output. No model is called, so nothing is charged or logged. It is stored as any other,
 * so the wallet must cover the request as if it were answered.
 *
 * @throws ServiceError what `takeHold` throws, `service_unavailable` when too many large answers are being sent, and
 *   `quota_exceeded` when it does not fit into the storage quota of the workspace
 */
export async function answerPrepared(
  deps: Pick<AnswerDeps, 'brand' | 'now'> & HoldDeps,
  planned: PlannedRequest,
  { storeHook, completionHook }: PreparedHooks,
): Promise<void> {
  const billing = await takeHold(deps, planned)
  await billing.release()
  const { surface, facts, httpResponse, notes, candidates } = planned
  const { request } = candidates[0]
  const { id } = request.model
  const created = unixSeconds(deps.now())
  const state = { status: 'completed', output: [], usage: noUsage } as const
  const response = {
    ...responseObject({ ...request, body: planned.body }, { created, model: request.model.upstreamModel }, state),
    completed_at: created,
  }
  const priced = { usage: noUsage, isReported: true, costNano: 0n }
  const context = { request, facts, created }
  const answer = finishStream(Buffer.from(JSON.stringify(response)), { surface, priced, context, holdNano: 0n })
  if (answer === null) throw new Error('a prepared response cannot be read')
  const { bytes } = answer
  reserveReplay(planned, bytes)
  // First: an answer that is recorded for an idempotency key can be replayed, so it must be stored before.
  await storeHook?.afterCharge?.(answer)
  await completionHook?.beforeCharge(answer)
  await completionHook?.afterCharge(answer)
  showLogged(deps, planned, 'endpoint')
  const { servedModel, costUsd } = deps.brand.headers
  const headers = { [servedModel]: id }
  replayAnswer(httpResponse, {
    surface,
    bytes,
    context: { facts, created },
    chargedNano: 0n,
    conversationId: planned.conversationId,
    headers,
    costHeader: costUsd,
  })
  notes.ended = 'cached'
}
