import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { estimatePrompt } from '../pricing/estimate-usage.ts'
import type { Admission, RateLimiter, RateQuestion } from '../rate-limits/rate-limit.ts'
import { rateLimitHeaders } from '../rate-limits/rate-limit-headers.ts'
import type { CompletionHook } from './completion-hooks.ts'
import type { ParsedRequest } from './request-records.ts'

/**
 * Admits a request under the limits of its workspace and of its key, and sets the rate limit headers of its answer.
 *
 * @returns a hook that corrects the estimated tokens once they are known; null, and at once, when there is no limit
 * @throws ServiceError `rate_limit_exceeded`
 */
export function limitRate(limiter: RateLimiter, parsed: ParsedRequest): Promise<CompletionHook> | null {
  // Requests of a batch are paced by their workers, and must not use up the minute of the workspace's other traffic.
  if (parsed.identity.channel === 'batch') return null
  const admitting = limiter.admit(rateQuestion(parsed))
  return admitting === null ? null : admitting.then((admission) => applyLimit(limiter, parsed, admission))
}

function applyLimit(limiter: RateLimiter, parsed: ParsedRequest, admission: Admission): CompletionHook {
  for (const [name, value] of Object.entries(rateLimitHeaders(admission))) parsed.httpResponse.setHeader(name, value)
  if (admission.ok) {
    return {
      afterCharge: async ({ tokens }) => limiter.correct(admission, tokens),
      abandoned: (tokensUsed) => limiter.correct(admission, tokensUsed),
    }
  }
  // A call must not fall silent because of other traffic. Its number of turns is bounded by itself.
  if (parsed.identity.channel === 'voice') return noCorrection
  parsed.notes.limited = admission.scope
  const unit = admission.requests?.remaining === 0 ? 'requests' : 'tokens'
  throw new ServiceError('rate_limit_exceeded', `Too many ${unit} per minute for this key or workspace.`, {
    retryAfterSeconds: Math.ceil(admission.retryAfterMs / 1_000),
  })
}

const noCorrection: CompletionHook = { afterCharge: async () => undefined, abandoned: () => undefined }

function rateQuestion({ identity, bytes, facts, settings }: ParsedRequest): RateQuestion {
  const { keyId, workspaceId } = identity
  const { limits, keyLimits } = settings
  const tokens = estimatePrompt(bytes.length, facts.prompt)
  return { workspaceId, keyId, limits, keyLimits: keyId === null ? undefined : keyLimits.get(keyId), tokens }
}
