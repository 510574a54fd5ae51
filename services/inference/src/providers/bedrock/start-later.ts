import type { UpstreamCall } from '@ratchet/http/upstream-call'

export interface LaterCall<T> {
  /** The value that the call needs before it can start. */
  readonly ready: Promise<T>
  readonly start: (value: T) => UpstreamCall
  /** Is called once in place of `start`, when the call was aborted before, or when `ready` failed. */
  readonly notStarted: (why: 'aborted' | 'failed', cause: unknown) => void
}

/** A call that starts when a promise resolves. It can be aborted or paused before that. */
export function startLater<T>({ ready, start, notStarted }: LaterCall<T>): UpstreamCall {
  let call: UpstreamCall | null = null
  let aborted = false
  let paused = false
  ready
    .then((value) => {
      if (aborted) return
      call = start(value)
      if (paused) call.pause()
    })
    .catch((cause: unknown) => {
      if (!aborted) notStarted('failed', cause)
    })
  return {
    abort() {
      if (call !== null) return call.abort()
      if (aborted) return
      aborted = true
      notStarted('aborted', undefined)
    },
    pause() {
      paused = true
      call?.pause()
    },
    resume() {
      paused = false
      call?.resume()
    },
  }
}
