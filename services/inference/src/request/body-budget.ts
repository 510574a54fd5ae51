import { ServiceError } from '@ratchet/service-kit/service-error'

/** Bounds the request bodies that one process holds at a time, so that many large ones cannot exhaust its memory. */
export interface BodyBudget {
  /**
   * Takes room for a body until the returned function is called.
   *
   * @throws ServiceError `service_unavailable` when there is none; a body is always let in when it is the only one
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
