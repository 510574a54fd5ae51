import { judgeOne } from '@ratchet/contracts/calibrations'
import type { Verdict } from '@ratchet/contracts/criteria'
import type { Identity } from '@ratchet/contracts/identity'
import { nanoToUsd } from '@ratchet/contracts/money'
import { uuidOf } from '@ratchet/contracts/public-id'
import { costOfReplies, type JudgeCallResult } from '@ratchet/judge-kit/fleet/call-judge'
import type { ModelReply } from '@ratchet/judge-kit/fleet/call-model'
import type { JudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { readJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { invalidRequest, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { Router } from 'express'
import type { z } from 'zod'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import { requireLog } from '../runs/require-log.ts'
import { refusalError } from './refusal-error.ts'
import { requireRunContent } from './require-run.ts'

export interface JudgeOneDeps {
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly log: Pick<LogReader, 'entry' | 'readRuns'>
  readonly judgeExchange: JudgeExchange
  readonly newId: () => string
}

/** Judges one exchange or run synchronously. */
export function judgeOneRoutes(router: Router, deps: JudgeOneDeps): void {
  mountRaw(router, judgeOne, async ({ params, identity, request }, response) => {
    const body = parseInput<typeof judgeOne.body>(
      judgeOne.body,
      await readJson(request, response, judgeOne.maxJsonBytes),
    )
    const item = readItem(body)
    const judgementId = judgementIdOf(request.get(keyHeader), params.id, deps)
    try {
      const criterion = await requireCriterion(deps.criteria, identity, params.id)
      requireUnit(criterion, item)
      const exchange = await readContent(deps, identity, item)
      const judged = await judge(deps, { criterion, exchange, identity, judgementId })
      const reply = judgeOne.reply.parse(replyOf(criterion, judged))
      if (judged.replies.every(({ isReplay }) => isReplay)) response.setHeader('Idempotent-Replay', 'true')
      response.status(judgeOne.status).json(reply)
    } catch (error) {
      throw error instanceof FleetCallError ? refusalError(error, keyHeader) : error
    }
  })
}

type Body = z.output<typeof judgeOne.body>

type RequestedItem =
  | { readonly kind: 'log'; readonly logId: string }
  | { readonly kind: 'run'; readonly traceId: string }
  | { readonly kind: 'given'; readonly exchange: JudgedExchange }

/** @throws ServiceError naming the field that is missing or not allowed */
function readItem({ log_id, trace_id, messages, response, tools }: Body): RequestedItem {
  const given = { messages, response, tools: tools ?? undefined }
  if (log_id !== undefined) {
    refuseBeside('log_id', { trace_id, ...given })
    return { kind: 'log', logId: log_id }
  }
  if (trace_id !== undefined) {
    refuseBeside('trace_id', given)
    return { kind: 'run', traceId: trace_id }
  }
  if (messages === undefined && response === undefined) {
    throw invalidRequest('log_id', 'Send `log_id`, or `messages` and `response`.')
  }
  if (messages === undefined) throw invalidRequest('messages', 'Send the `messages` that `response` answers.')
  if (response === undefined) throw invalidRequest('response', 'Send the `response` that is to be judged.')
  const answer = typeof response === 'string' ? { role: 'assistant', content: response } : response
  return { kind: 'given', exchange: { messages, response: answer, tools: tools ?? null, model: null } }
}

function refuseBeside(field: string, others: Readonly<Record<string, unknown>>): void {
  const surplus = Object.entries(others).find(([, value]) => value !== undefined)
  if (surplus === undefined) return
  throw invalidRequest(surplus[0], `\`${surplus[0]}\` is not allowed together with \`${field}\`.`)
}

/** @throws ServiceError `unsupported_unit` when the item is a run and the judge is for exchanges, or the other way round */
function requireUnit({ unit }: StoredCriterion, { kind }: RequestedItem): void {
  if (kind === 'log' && unit === 'trace') {
    throw new ServiceError('unsupported_unit', 'This judge judges complete runs. Send `trace_id`.', { param: 'log_id' })
  }
  if (kind === 'run' && unit === 'request') {
    throw new ServiceError('unsupported_unit', 'This judge judges single exchanges. Send `log_id`.', {
      param: 'trace_id',
    })
  }
}

const keyHeader = 'Idempotency-Key'

/** Derived from the key, so that a repeated key gets the recorded answer. */
function judgementIdOf(key: string | undefined, criterionId: string, { newId }: JudgeOneDeps): string {
  if (key === undefined) return newId()
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return deterministicId('judge one', criterionId, key)
  throw invalidRequest(keyHeader, `${keyHeader} must be 1 to 255 visible ASCII characters.`)
}

async function readContent(deps: JudgeOneDeps, identity: Identity, item: RequestedItem): Promise<JudgedExchange> {
  switch (item.kind) {
    case 'log':
      return requireEntry(deps, identity, item.logId)
    case 'run':
      return requireRunContent(deps.log, identity, item.traceId)
    case 'given':
      return item.exchange
  }
}

async function requireEntry({ log }: JudgeOneDeps, identity: Identity, logId: string): Promise<JudgedExchange> {
  const id = uuidOf('log', logId)
  const entry = id === null ? null : await requireLog(() => log.entry(identity, id))
  if (entry === null) throw notFound('log entry', 'log_id')
  return entry
}

interface Question {
  readonly criterion: StoredCriterion
  readonly exchange: JudgedExchange
  readonly identity: Identity
  readonly judgementId: string
}

function judge({ judgeExchange }: JudgeOneDeps, { criterion, exchange, identity, judgementId }: Question) {
  return judgeExchange({
    judgementId,
    identity: { ...identity, purpose: 'judge' },
    criterion: criterion.judgePrompt,
    judgeModel: criterion.judgeModel,
    checks: criterion.checks,
    exchange,
    unit: criterion.unit,
    // Not derived from the body, so that a key that is used for another exchange is refused.
    keyOf: () => judgementId,
  })
}

/** @throws ServiceError when there is no verdict */
function replyOf(
  { judgeModel }: StoredCriterion,
  { finding, replies }: JudgeCallResult<Verdict>,
): z.input<typeof judgeOne.reply> {
  switch (finding.kind) {
    case 'chosen':
      return {
        object: 'criterion.verdict',
        verdict: finding.choice,
        explanation: finding.explanation,
        judge_model: judgeModel,
        usage: usageOf(replies),
        cost_usd: nanoToUsd(costOfReplies(replies)),
      }
    case 'unparseable':
      // With an explanation, a script of the judge failed.
      if (finding.explanation !== undefined) throw invalidRequest('id', finding.explanation)
      throw new ServiceError('upstream_error', `The judge ${judgeModel} gave no readable verdict in two calls.`)
    case 'too_large':
      throw new ServiceError('context_length_exceeded', 'The exchange is too large for a judge prompt.')
    case 'refused':
      throw finding.refusal
  }
}

function usageOf(replies: readonly ModelReply[]) {
  const prompt_tokens = replies.reduce((sum, { promptTokens }) => sum + (promptTokens ?? 0), 0)
  const completion_tokens = replies.reduce((sum, { completionTokens }) => sum + (completionTokens ?? 0), 0)
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}
