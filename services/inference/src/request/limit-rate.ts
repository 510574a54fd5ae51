import type { ServerResponse } from 'node:http'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { RateLimiter, RateQuestion } from '../rate-limits/rate-limit.ts'
import { rateLimitHeaders } from '../rate-limits/rate-limit-headers.ts'
import type { CompletionHook } from './completion-hooks.ts'

/**
 * Admits a request under its workspace's and its key's limits, and puts what is left of them on the answer.
 *
 * @returns what corrects the estimate of its tokens once they are known; null where there is no limit
 * @throws ServiceError `rate_limit_exceeded`
 */
export async function limitRate(
  limiter: RateLimiter,
  question: RateQuestion,
  response: ServerResponse,
): Promise<CompletionHook | null> {
  const admission = await limiter.admit(question)
  if (admission === null) return null
  for (const [name, value] of Object.entries(rateLimitHeaders(admission))) response.setHeader(name, value)
  if (admission.ok) {
    return {
      afterCharge: async ({ tokens }) => limiter.correct(admission, tokens),
      abandoned: (tokensUsed) => limiter.correct(admission, tokensUsed),
    }
  }
  const what = admission.requests?.remaining === 0 ? 'requests' : 'tokens'
  throw new ServiceError('rate_limit_exceeded', `Too many ${what} per minute for this key or workspace.`, {
    retryAfterSeconds: Math.ceil(admission.retryAfterMs / 1_000),
  })
}
