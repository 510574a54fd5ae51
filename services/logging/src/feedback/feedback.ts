import type { Feedback, GiveFeedback } from '@ratchet/contracts/feedback'
import { publicId } from '@ratchet/contracts/public-id'
import { invalidRequest } from '@ratchet/service-kit/http/service-error'
import { logIdOf } from '../logs/log-id.ts'

/** What feedback is about: an exchange by its UUID, or a trace. */
export type FeedbackTarget =
  | { readonly logId: string; readonly traceId: null }
  | { readonly logId: null; readonly traceId: string }

export interface StoredFeedback {
  readonly id: string
  readonly workspaceId: string
  readonly target: FeedbackTarget
  readonly rating: 'up' | 'down' | null
  /** 0 to 1. */
  readonly score: number | null
  /** Redacted. */
  readonly comment: string | null
  readonly createdBy: string
  readonly createdAt: Date
  /** From when the retention of its exchange counts. */
  readonly loggedAt: Date
  readonly expiresAt: Date
}

/** Numbers of feedback on one target. */
export interface FeedbackCount {
  readonly target: FeedbackTarget
  readonly up: number
  readonly down: number
}

/** @throws ServiceError 400 for none or several targets, and for feedback that says nothing */
export function checkFeedback(body: GiveFeedback): void {
  const { log_id: logId, response_id: responseId, trace_id: traceId } = body
  const named = [logId, responseId, traceId].filter((id) => id !== undefined)
  if (named.length !== 1) {
    throw invalidRequest('log_id', 'Send exactly one of `log_id`, `response_id` and `trace_id`.')
  }
  if (body.rating === undefined && body.score === undefined && body.comment === undefined) {
    throw invalidRequest('rating', 'Send a `rating`, a `score` or a `comment`.')
  }
}

/** The UUID of the request that an id of an answer contains: `X-Request-Id`, `resp_…`, `msg_…`, `chatcmpl-…`; null for others. */
export function requestIdIn(responseId: string): string | null {
  const digits = responseId.replace(/^(?:resp_|msg_|chatcmpl-|cmpl-|rerank-)/, '').replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/.test(digits)) return null
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Feedback as the API returns it. */
export function feedbackReply({ id, target, rating, score, comment, createdAt }: StoredFeedback): Feedback {
  return {
    object: 'feedback',
    id: publicId('feedback', id),
    log_id: target.logId === null ? null : logIdOf(target.logId),
    trace_id: target.traceId,
    rating,
    score,
    comment,
    created_at: createdAt.toISOString(),
  }
}
