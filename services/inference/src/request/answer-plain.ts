import type { ServerResponse } from 'node:http'
import { costNanoHeader, latencyMsHeader } from '@ratchet/contracts/identity'
import { formatUsd } from '@ratchet/contracts/money'
import type { ProviderFailure, ProviderListener, ProviderReply } from '../wire/provider.ts'
import { callModels, type ModelCall } from './call-models.ts'
import { type KeptAnswer, keptAnswer } from './completion-hooks.ts'
import { type AnswerDeps, answerContext, type Exchange, elapsedMs } from './exchange.ts'
import { errorOfFailure } from './failure-error.ts'
import { priceAnswer } from './price-answer.ts'
import { servedHeaders } from './served-headers.ts'

type Outcome =
  | { readonly kind: 'reply'; readonly reply: ProviderReply }
  | { readonly kind: 'failure'; readonly failure: ProviderFailure }

/**
 * Answers a request that is not streamed: the charge is committed before the body is written.
 *
 * @throws ServiceError when the provider gave no answer; the hold is given back.
 */
export async function answerPlain(deps: AnswerDeps, exchange: Exchange, response: ServerResponse): Promise<void> {
  const { outcome, call } = await callWhileClientWaits(deps, exchange, response)
  if (outcome.kind === 'failure') {
    exchange.completionHook?.abandoned(0)
    if (outcome.failure.kind !== 'aborted') exchange.arm?.failed()
    await exchange.billing.release()
    if (response.destroyed) return
    throw errorOfFailure(outcome.failure)
  }
  const { served } = call
  const { reply } = outcome
  // As the log counts it, but before the charge: whoever is told has to be told the same from a record.
  const latencyMs = elapsedMs(deps, exchange)
  const { surface, facts, completionHook, billing, fleet } = exchange
  const timing = fleet === null ? {} : { latencyMs }
  const priced = await priceAnswer(deps.countTokens, { request: served, facts, ...reply })
  const context = answerContext(deps, served, facts)
  const whole = { surface, reply, priced, context, holdNano: billing.holdNano }
  const kept = completionHook === null ? null : { ...keptAnswer(whole), ...timing }
  if (kept !== null) await completionHook?.beforeCharge(kept)
  const chargedNano = await billing.settle(priced.costNano)
  exchange.arm?.answered(served, { costNano: chargedNano, latencyMs })
  if (kept !== null) await completionHook?.afterCharge(kept)
  if (response.destroyed) return
  // As it was kept, unless it cost something else in the end.
  const isAsKept = kept !== null && kept.costNano === chargedNano
  const body = isAsKept ? kept.bytes : surface.finishReply(reply, { ...priced, chargedNano }, context)
  writeReply(deps, response, { exchange, call, body, chargedNano, ...timing })
}

async function callWhileClientWaits(deps: AnswerDeps, { candidates, isKeyed }: Exchange, response: ServerResponse) {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const listener: ProviderListener = {
    onReply: (reply) => resolve({ kind: 'reply', reply }),
    onFailure: (failure) => resolve({ kind: 'failure', failure }),
    onStreamData() {},
    onStreamEnd() {},
  }
  const call = callModels({ ...deps, candidates }, listener)
  // Whoever asks again under the same key wants this answer.
  if (!isKeyed) response.once('close', () => call.abort())
  return { outcome: await promise, call }
}

interface WrittenReply extends Pick<KeptAnswer, 'latencyMs'> {
  readonly exchange: Exchange
  readonly call: ModelCall
  readonly body: Buffer
  /** What the workspace pays. */
  readonly chargedNano: bigint
}

function writeReply({ brand }: AnswerDeps, response: ServerResponse, written: WrittenReply) {
  const { exchange, call, body, chargedNano, latencyMs } = written
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...servedHeaders(brand, exchange, call),
    [brand.headers.costUsd]: formatUsd(chargedNano),
    ...(exchange.fleet === null ? {} : { [costNanoHeader]: String(chargedNano) }),
    ...(latencyMs === undefined ? {} : { [latencyMsHeader]: String(latencyMs) }),
  })
  response.end(body)
}
