import { judgeOne } from '@ratchet/contracts/calibrations'
import type { Identity } from '@ratchet/contracts/identity'
import { nanoToUsd } from '@ratchet/contracts/money'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { ModelReply } from '@ratchet/judge-kit/fleet/ask-model'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import { FleetCallError } from '@ratchet/service-kit/fleet-client'
import { mountRaw } from '@ratchet/service-kit/mount'
import { readJson } from '@ratchet/service-kit/mount-json'
import { parseInput } from '@ratchet/service-kit/parse-input'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Router } from 'express'
import type { z } from 'zod'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import { requireRequestUnit } from '../criteria/require-request-unit.ts'
import { requireLog } from '../runs/require-log.ts'
import type { JudgedResult, JudgeExchange } from './judge-exchange.ts'
import { refusalError } from './refusal-error.ts'

export interface JudgeOneDeps {
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly log: Pick<LogReader, 'entry'>
  readonly judgeExchange: JudgeExchange
  readonly newId: () => string
}

const maxBodyBytes = 1024 * 1024

/** Judges one exchange while the caller waits. */
export function judgeOneRoutes(router: Router, deps: JudgeOneDeps): void {
  mountRaw(router, judgeOne, async ({ params, identity, request }, response) => {
    const body = parseInput<typeof judgeOne.body>(judgeOne.body, await readJson(request, response, maxBodyBytes))
    const asked = readItem(body)
    const judgementId = judgementIdOf(request.get(keyHeader), params.id, deps)
    try {
      const criterion = await requireCriterion(deps.criteria, identity, params.id)
      requireRequestUnit(criterion)
      const exchange = asked.kind === 'log' ? await requireEntry(deps, identity, asked.logId) : asked.exchange
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

type AskedItem =
  | { readonly kind: 'log'; readonly logId: string }
  | { readonly kind: 'given'; readonly exchange: JudgedExchange }

/** @throws ServiceError naming the field that is missing or one too many */
function readItem({ log_id, messages, response, tools }: Body): AskedItem {
  if (log_id !== undefined) {
    const surplus = Object.entries({ messages, response, tools: tools ?? undefined }).find(
      ([, value]) => value !== undefined,
    )
    if (surplus === undefined) return { kind: 'log', logId: log_id }
    throw wrong(
      surplus[0],
      `\`${surplus[0]}\` goes with an exchange that is sent along; leave it out beside \`log_id\`.`,
    )
  }
  if (messages === undefined && response === undefined) {
    throw wrong('log_id', 'Send `log_id`, or `messages` and `response`.')
  }
  if (messages === undefined) throw wrong('messages', 'Send the `messages` that `response` answers.')
  if (response === undefined) throw wrong('response', 'Send the `response` that is to be judged.')
  const answer = typeof response === 'string' ? { role: 'assistant', content: response } : response
  return { kind: 'given', exchange: { messages, response: answer, tools: tools ?? null, model: null } }
}

function wrong(param: string, message: string): ServiceError {
  return new ServiceError('invalid_request', message, { param })
}

const keyHeader = 'Idempotency-Key'

/** The same for the same key, so that what was answered under it is answered again. */
function judgementIdOf(key: string | undefined, criterionId: string, { newId }: JudgeOneDeps): string {
  if (key === undefined) return newId()
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return deterministicId('judge one', criterionId, key)
  throw wrong(keyHeader, `${keyHeader} must be 1 to 255 visible ASCII characters.`)
}

async function requireEntry({ log }: JudgeOneDeps, identity: Identity, logId: string): Promise<JudgedExchange> {
  const id = uuidOf('log', logId)
  const entry = id === null ? null : await requireLog(() => log.entry(identity, id))
  if (entry === null) throw new ServiceError('not_found', 'No log entry has this id.', { param: 'log_id' })
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
    exchange,
    // Not of the question: whoever uses a key for another one is to hear of it.
    keyOf: () => judgementId,
  })
}

/** @throws ServiceError where there is no verdict */
function replyOf({ judgeModel }: StoredCriterion, { finding, replies }: JudgedResult): z.input<typeof judgeOne.reply> {
  switch (finding.kind) {
    case 'verdict': {
      const { verdict, explanation } = finding
      const cost_usd = nanoToUsd(replies.reduce((sum, { costNano }) => sum + costNano, 0n))
      return {
        object: 'criterion.verdict',
        verdict,
        explanation,
        judge_model: judgeModel,
        usage: usageOf(replies),
        cost_usd,
      }
    }
    case 'unparseable':
      throw new ServiceError('upstream_error', `The judge ${judgeModel} was asked twice and gave no verdict.`)
    case 'too_large':
      throw new ServiceError('context_length_exceeded', 'The exchange is larger than what is shown to a judge.')
    case 'refused':
      throw finding.refusal
  }
}

function usageOf(replies: readonly ModelReply[]) {
  const prompt_tokens = replies.reduce((sum, { promptTokens }) => sum + (promptTokens ?? 0), 0)
  const completion_tokens = replies.reduce((sum, { completionTokens }) => sum + (completionTokens ?? 0), 0)
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}
