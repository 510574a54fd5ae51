import { type GiveFeedback, giveFeedback, maxFeedback } from '@ratchet/contracts/feedback'
import type { Identity } from '@ratchet/contracts/identity'
import { readFeedback } from '@ratchet/contracts/internal-feedback'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { answerJsonOnce, type OnceDeps } from '@ratchet/service-kit/http/answer-once'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { timeOfUuidV7 } from '@ratchet/service-kit/values/ids'
import type { Router } from 'express'
import type { ExchangeReads, ReadScope } from '../exchanges/exchange-reads.ts'
import { uuidOfLog } from '../logs/log-id.ts'
import { redactKnown } from '../redaction/redact-exchange.ts'
import type { TraceReads } from '../traces/trace-reads.ts'
import type { WorkspaceReads } from '../workspaces/pg-workspace-reads.ts'
import { requireLogging } from '../workspaces/require-logging.ts'
import { checkFeedback, type FeedbackTarget, feedbackReply, requestIdIn, type StoredFeedback } from './feedback.ts'
import type { FeedbackStore } from './pg-feedback.ts'

export interface FeedbackRouteDeps extends OnceDeps {
  readonly feedback: FeedbackStore
  readonly exchanges: ExchangeReads
  readonly traces: TraceReads
  readonly workspaces: WorkspaceReads
  readonly newId: () => string
}

/** Takes feedback of users, and counts it for judging. */
export function feedbackRoutes(router: Router, deps: FeedbackRouteDeps): void {
  mountJson(router, giveFeedback, async ({ body, identity, request }) => {
    const { workspaceId } = identity
    checkFeedback(body)
    const { retentionDays } = await requireLogging(deps.workspaces, workspaceId)
    const scope = { workspaceId, at: deps.now(), retentionDays }
    const order = { request, identity, endpoint: giveFeedback.path, body }
    // Only the id is kept for a repeated key, because a comment must not outlive what it is about.
    const { answer, headers } = await answerJsonOnce(deps, order, async () => {
      const feedback = await newFeedback(deps, { body, identity, scope })
      if (!(await deps.feedback.add(feedback))) throw enough()
      return { id: publicId('feedback', feedback.id) }
    })
    const id = uuidOf('feedback', answer.id)
    const stored = id === null ? null : await deps.feedback.get(scope, id)
    if (stored === null) throw deleted()
    return { reply: feedbackReply(stored), headers }
  })

  mountJson(router, readFeedback, async ({ body, identity: { workspaceId } }) => {
    const asked = { logIds: body.log_ids, traceIds: body.trace_ids }
    const counts = await deps.feedback.count({ workspaceId, at: deps.now() }, asked)
    const data = counts.map(({ target, up, down }) => ({ log_id: target.logId, trace_id: target.traceId, up, down }))
    return { reply: { data } }
  })
}

interface NewFeedback {
  readonly body: GiveFeedback
  readonly identity: Identity
  readonly scope: Required<ReadScope>
}

async function newFeedback(deps: FeedbackRouteDeps, { body, identity, scope }: NewFeedback): Promise<StoredFeedback> {
  const { target, loggedAt, expiresAt } = await findTarget(deps, scope, body)
  const { comment } = redactKnown({ comment: body.comment ?? null }, {}).content
  return {
    id: deps.newId(),
    workspaceId: scope.workspaceId,
    target,
    rating: body.rating ?? null,
    score: body.score ?? null,
    comment,
    createdBy: identity.userId,
    createdAt: scope.at,
    loggedAt,
    expiresAt,
  }
}

interface FoundTarget extends Pick<StoredFeedback, 'loggedAt' | 'expiresAt'> {
  readonly target: FeedbackTarget
}

/** @throws ServiceError `not_found` when the log does not have it */
async function findTarget(
  { exchanges, traces }: FeedbackRouteDeps,
  scope: Required<ReadScope>,
  { log_id: logId, response_id: responseId, trace_id: traceId }: GiveFeedback,
): Promise<FoundTarget> {
  if (traceId !== undefined) {
    const [summary] = await traces.summaries(scope, [traceId])
    if (summary === undefined) throw notFound('trace', 'trace_id')
    const { firstAt, expiresAt } = summary
    // The retention of imported steps begins with the import, however old they are.
    const importedAt = new Date(expiresAt.getTime() - scope.retentionDays * dayMs)
    return { target: { logId: null, traceId }, loggedAt: importedAt > firstAt ? importedAt : firstAt, expiresAt }
  }
  const id = logId === undefined ? requestIdIn(responseId ?? '') : uuidOfLog(logId)
  const read = logId === undefined ? exchanges.ofRequest : exchanges.get
  const found = id === null ? null : await read(scope, id)
  if (found === null) throw notFound('log entry', logId === undefined ? 'response_id' : 'log_id')
  // The retention of an imported entry begins with the import, however old it is.
  const loggedAt = found.source === 'import' ? timeOfUuidV7(found.id) : found.createdAt
  return { target: { logId: found.id, traceId: null }, loggedAt, expiresAt: found.expiresAt }
}

function deleted(): ServiceError {
  const message = 'The feedback of the first request with this Idempotency-Key was deleted.'
  return new ServiceError('not_found', message, { param: 'Idempotency-Key' })
}

function enough(): ServiceError {
  const message = `There are ${maxFeedback} pieces of feedback on it already, which is the maximum.`
  return new ServiceError('quota_exceeded', message, {})
}
