import { costNanoHeader, latencyMsHeader } from '@ratchet/contracts/identity'
import { formatUsd } from '@ratchet/contracts/money'
import { noteCall } from '../outcomes/outcome-notes.ts'
import { generatedText } from '../pricing/generated-text.ts'
import type { RequestFacts } from '../surfaces/surface.ts'
import type { ProviderFailure, ProviderListener, ProviderReply, ProviderRequest } from '../wire/provider.ts'
import { type AnswerDeps, answerContext, elapsedMs } from './answer-deps.ts'
import { callModels } from './call-models.ts'
import { finishAnswer } from './completion-hooks.ts'
import { errorOfFailure } from './failure-error.ts'
import { statesCost } from './internal-call.ts'
import { priceAnswer, type SeenAnswer, seenSpent } from './price-answer.ts'
import type { FundedRequest } from './request-records.ts'
import { nameFailedModel, servedHeaders } from './served-headers.ts'

type Outcome =
  | { readonly kind: 'reply'; readonly reply: ProviderReply }
  | { readonly kind: 'failure'; readonly failure: ProviderFailure }

/** Milliseconds for which a call continues after its client disconnected. A provider refuses a request much earlier. */
const abandonedMs = 60_000

/**
 * Answers a request that is not streamed. The charge is committed before the body is written. A call whose client
 * disconnects is completed and charged, because the provider is paid for it; if that takes too long it is stopped, and
 * its prompt is charged.
 *
 * @throws ServiceError when no model gave an answer; the hold is released. When a model gave one that cannot be used, it is
 *   charged.
 */
export async function answerPlain(deps: AnswerDeps, funded: FundedRequest): Promise<void> {
  const waiting = callModel(deps, funded)
  try {
    const { outcome, ...ended } = await waiting.answered
    noteCall(funded.notes, ended)
    if (outcome.kind === 'reply') await chargeAndWrite(deps, funded, { ...outcome, ...ended })
    else await endWithout(deps, funded, { ...outcome, ...ended })
  } finally {
    waiting.over()
  }
}

interface Ended {
  readonly outcome: Outcome
  readonly servedRequest: ProviderRequest
  readonly tries: number
  /** True when the call was stopped because its client disconnected. */
  readonly owesPrompt: boolean
}

type Answered<K extends Outcome['kind']> = Extract<Outcome, { kind: K }> & Omit<Ended, 'outcome'>

async function chargeAndWrite(deps: AnswerDeps, funded: FundedRequest, answered: Answered<'reply'>): Promise<void> {
  const { surface, facts, completionHook, billing, internalCall, httpResponse, conversationId } = funded
  const { reply, servedRequest } = answered
  // Measured before the charge, because the answer is recorded before it and a replay must state the same latency.
  const latencyMs = elapsedMs(deps, funded)
  const countTokens = deps.countTokensOf(funded.identity.workspaceId)
  const priced = await priceAnswer(countTokens, seenReply(servedRequest, facts, reply))
  const context = answerContext(deps, servedRequest, facts)
  const whole = { surface, reply, priced, context, holdNano: billing.holdNano }
  const finished = completionHook === null ? null : finishAnswer(whole, internalCall === null ? undefined : latencyMs)
  if (finished !== null) await completionHook?.beforeCharge(finished)
  const logRow = finished === null ? null : completionHook?.logRow(finished)
  const chargedNano = await billing.settle(priced.costNano, priced.usage, logRow)
  funded.arm?.answered(servedRequest.model.id, { costNano: chargedNano, latencyMs })
  if (finished !== null) await completionHook?.afterCharge(finished)
  if (httpResponse.destroyed) return
  funded.notes.ended = 'answered'
  // The finished bytes state the expected cost, and no session, so they are written again when the answer differs.
  const isSame = finished !== null && finished.costNano === chargedNano && conversationId === null
  const sent = { ...priced, chargedNano, conversationId }
  const body = isSame ? finished.bytes : surface.finishReply(reply, sent, context)
  writeReply(deps, funded, { servedRequest, body, chargedNano, latencyMs })
}

function seenReply(request: ProviderRequest, facts: RequestFacts, { usage, pieces }: ProviderReply): SeenAnswer {
  const generated = generatedText(pieces)
  return { request, facts, usage, isUsageFinal: true, generated, hiddenTokens: 0, owesPrompt: false }
}

async function endWithout(deps: AnswerDeps, funded: FundedRequest, answered: Answered<'failure'>): Promise<void> {
  const { completionHook, billing, facts, httpResponse } = funded
  const { failure, servedRequest } = answered
  const isStopped = failure.kind === 'aborted' && answered.owesPrompt
  const spent = isStopped ? promptAlone : failure.spent
  funded.notes.failure = failure
  // A client that disconnected says nothing about the arm.
  if (!isStopped && (!httpResponse.destroyed || funded.isKeyed)) funded.arm?.failed()
  if (spent === undefined) {
    completionHook?.abandoned(0)
    await billing.release()
  } else {
    const countTokens = deps.countTokensOf(funded.identity.workspaceId)
    const { costNano, usage } = await priceAnswer(countTokens, seenSpent({ request: servedRequest, facts }, spent))
    completionHook?.abandoned(usage.promptTokens + usage.completionTokens)
    const chargedNano = await billing.settle(costNano, usage)
    if (!httpResponse.destroyed) httpResponse.setHeader(deps.brand.headers.costUsd, formatUsd(chargedNano))
  }
  if (isStopped || httpResponse.destroyed) return
  nameFailedModel(deps.brand, funded, servedRequest)
  throw errorOfFailure(failure)
}

/** What is owed for a call that was stopped before its answer. */
const promptAlone = { usage: null, hiddenTokens: 0 }

interface WaitingCall {
  readonly answered: Promise<Ended>
  /** Must be called when the outcome is charged. */
  over(): void
}

function callModel(deps: AnswerDeps, funded: FundedRequest): WaitingCall {
  const { candidates, isKeyed, identity, httpResponse, notes } = funded
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const listener: ProviderListener = {
    onReply: (reply) => resolve({ kind: 'reply', reply }),
    onFailure: (failure) => resolve({ kind: 'failure', failure }),
    onStreamStart() {},
    onStreamData() {},
    onStreamEnd() {},
  }
  const call = callModels({ ...deps, candidates }, listener)
  let leave: (() => void) | null = null
  let owesPrompt = false
  const onClose = () => {
    // Its client did not leave, and will try again.
    if (httpResponse.isPeerLost === true) return call.abort()
    notes.hasLeft = true
    const { workspaceId } = identity
    owesPrompt = !deps.abandoned.isExpired
    call.finishAttempt()
    leave = deps.abandoned.enter({ workspaceId, maxMs: abandonedMs, stop: () => call.abort() })
    if (leave === null) call.abort()
  }
  // A retry under the same idempotency key replays this answer, so it is completed even for a disconnected client.
  if (!isKeyed) httpResponse.once('close', onClose)
  return {
    answered: promise.then((outcome) => {
      httpResponse.off('close', onClose)
      return { outcome, servedRequest: call.servedRequest, tries: call.tries, owesPrompt }
    }),
    over: () => leave?.(),
  }
}

interface WrittenReply {
  readonly latencyMs: number
  readonly servedRequest: ProviderRequest
  readonly body: Buffer
  /** What the workspace pays, nano-dollars. */
  readonly chargedNano: bigint
}

function writeReply({ brand }: AnswerDeps, funded: FundedRequest, written: WrittenReply): void {
  const { servedRequest, body, chargedNano, latencyMs } = written
  const { httpResponse } = funded
  const headers: Record<string, string> = servedHeaders(brand, funded, servedRequest)
  headers['content-type'] = 'application/json'
  headers['content-length'] = String(body.length)
  headers[brand.headers.costUsd] = formatUsd(chargedNano)
  if (statesCost(funded)) headers[costNanoHeader] = String(chargedNano)
  if (funded.internalCall !== null) headers[latencyMsHeader] = String(latencyMs)
  httpResponse.writeHead(200, headers)
  httpResponse.end(body)
}
