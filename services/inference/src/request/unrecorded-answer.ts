import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { StreamTracker } from '../surfaces/surface.ts'
import type { Usage } from '../wire/usage.ts'
import type { AnswerDeps } from './answer-deps.ts'
import type { FundedRequest } from './request-records.ts'

/**
 * Ends the recording of a streamed answer that could not be assembled. It is delivered and charged without a record.
 *
 * @throws ServiceError when there was no memory for the record of an idempotency key: a retry would be charged again, so
 *   the answer fails and is not charged
 */
export function leaveUnrecorded(
  { onUnrecorded }: Pick<AnswerDeps, 'onUnrecorded'>,
  { completionHook, isKeyed, requestId }: Pick<FundedRequest, 'completionHook' | 'isKeyed' | 'requestId'>,
  { isFull, usage }: { readonly isFull: StreamTracker['isFull']; readonly usage: Usage },
): void {
  if (isFull) onUnrecorded(requestId)
  if (isFull && isKeyed) throw noRoomForRecord()
  completionHook?.abandoned(usage.promptTokens + usage.completionTokens)
}

function noRoomForRecord(): ServiceError {
  const message = 'There is no memory to record an answer of this size for its Idempotency-Key. It was not charged.'
  return new ServiceError('service_unavailable', message, { retryAfterSeconds: 1 })
}
