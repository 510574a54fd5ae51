import type { UpstreamCall } from '@ratchet/http/upstream-call'

export interface LaterCall<T> {
  /** What the call cannot start without. */
  readonly ready: Promise<T>
  readonly start: (value: T) => UpstreamCall
  /** Hears, once and instead of `start`, that it was aborted before, or that `ready` failed. */
  readonly notStarted: (why: 'aborted' | 'failed', cause: unknown) => void
}

/** A call that starts once something is ready, and can be told to stop or pause before that. */
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
