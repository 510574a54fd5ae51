import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** Limits the bytes of request bodies that a process holds at a time, so that many large ones cannot exhaust its memory. */
export interface BodyBudget {
  /**
   * Reserves memory for a body until the returned function is called.
   *
   * @throws ServiceError `service_unavailable` when the limit is reached; a body that is the only one is always accepted
   */
  enter(bytes: number): () => void
}

export function createBodyBudget(maxBytes: number): BodyBudget {
  let held = 0
  return {
    enter(bytes) {
      if (held > 0 && held + bytes > maxBytes) {
        throw new ServiceError('service_unavailable', 'Too many large requests are being answered.', {
          retryAfterSeconds: 1,
        })
      }
      held += bytes
      let isOver = false
      return () => {
        if (!isOver) held -= bytes
        isOver = true
      }
    },
  }
}
