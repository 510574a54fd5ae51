import { costNanoHeader, latencyMsHeader } from '@ratchet/contracts/identity'
import { formatUsd } from '@ratchet/contracts/money'
import type { ProviderFailure, ProviderListener, ProviderReply, ProviderRequest } from '../wire/provider.ts'
import { type AnswerDeps, answerContext, elapsedMs } from './answer-deps.ts'
import { callModels } from './call-models.ts'
import { type FinishedAnswer, finishAnswer } from './completion-hooks.ts'
import { errorOfFailure } from './failure-error.ts'
import { priceAnswer } from './price-answer.ts'
import type { FundedRequest } from './request-records.ts'
import { servedHeaders } from './served-headers.ts'

type Outcome =
  | { readonly kind: 'reply'; readonly reply: ProviderReply }
  | { readonly kind: 'failure'; readonly failure: ProviderFailure }

/**
 * Answers a request that is not streamed. The charge is committed before the body is written.
 *
 * @throws ServiceError when no model gave an answer; the hold is released
 */
export async function answerPlain(deps: AnswerDeps, funded: FundedRequest): Promise<void> {
  const { surface, facts, completionHook, billing, internalCall, httpResponse } = funded
  const { outcome, servedRequest } = await callWhileClientWaits(deps, funded)
  if (outcome.kind === 'failure') {
    completionHook?.abandoned(0)
    if (outcome.failure.kind !== 'aborted') funded.arm?.failed()
    await billing.release()
    if (httpResponse.destroyed) return
    throw errorOfFailure(outcome.failure)
  }
  const { reply } = outcome
  // Measured before the charge, because the answer is recorded before it and a replay must state the same latency.
  const latencyMs = elapsedMs(deps, funded)
  const timing = internalCall === null ? {} : { latencyMs }
  const priced = await priceAnswer(deps.countTokens, { request: servedRequest, facts, ...reply })
  const context = answerContext(deps, servedRequest, facts)
  const whole = { surface, reply, priced, context, holdNano: billing.holdNano }
  const finished = completionHook === null ? null : { ...finishAnswer(whole), ...timing }
  if (finished !== null) await completionHook?.beforeCharge(finished)
  const logRow = finished === null ? null : completionHook?.logRow(finished)
  const chargedNano = await billing.settle(priced.costNano, logRow)
  funded.arm?.answered(servedRequest.model.id, { costNano: chargedNano, latencyMs })
  if (finished !== null) await completionHook?.afterCharge(finished)
  if (httpResponse.destroyed) return
  // The finished bytes state the expected cost, so they are written again when the charge turned out different.
  const isCostSame = finished !== null && finished.costNano === chargedNano
  const body = isCostSame ? finished.bytes : surface.finishReply(reply, { ...priced, chargedNano }, context)
  writeReply(deps, funded, { servedRequest, body, chargedNano, ...timing })
}

async function callWhileClientWaits(deps: AnswerDeps, { candidates, isKeyed, httpResponse }: FundedRequest) {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const listener: ProviderListener = {
    onReply: (reply) => resolve({ kind: 'reply', reply }),
    onFailure: (failure) => resolve({ kind: 'failure', failure }),
    onStreamData() {},
    onStreamEnd() {},
  }
  const call = callModels({ ...deps, candidates }, listener)
  // A retry under the same idempotency key replays this answer, so it is completed even for a disconnected client.
  if (!isKeyed) httpResponse.once('close', () => call.abort())
  return { outcome: await promise, servedRequest: call.servedRequest }
}

interface WrittenReply extends Pick<FinishedAnswer, 'latencyMs'> {
  readonly servedRequest: ProviderRequest
  readonly body: Buffer
  /** What the workspace pays, nano-dollars. */
  readonly chargedNano: bigint
}

function writeReply({ brand }: AnswerDeps, funded: FundedRequest, written: WrittenReply): void {
  const { servedRequest, body, chargedNano, latencyMs } = written
  const { httpResponse, internalCall } = funded
  httpResponse.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...servedHeaders(brand, funded, servedRequest),
    [brand.headers.costUsd]: formatUsd(chargedNano),
    ...(internalCall === null ? {} : { [costNanoHeader]: String(chargedNano) }),
    ...(latencyMs === undefined ? {} : { [latencyMsHeader]: String(latencyMs) }),
  })
  httpResponse.end(body)
}
