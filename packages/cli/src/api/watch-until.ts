import type { CliIo } from '../cli-io.ts'
import type { CallOptions, Reply } from './api-client.ts'

/** Something that is polled until it ends. */
export interface Watched<T> {
  readonly first: Reply<T>
  readonly read: (options: CallOptions) => Promise<Reply<T>>
  readonly isOver: (seen: T) => boolean
  readonly display: {
    show(seen: T): void
    remark(text: string): void
    end(): void
  }
  /** Message after an interruption. */
  readonly interrupted: string
}

const firstPollMs = 1_000
const slowestPollMs = 5_000
/** The interval is this part of the time since the start. */
const pollsPerWatched = 30
/** Longer than the replacement of a deployment takes. */
const timeoutMs = 10 * 60_000

/**
 * Polls until the end. Ctrl-C ends only the polling.
 *
 * @returns the last state; null after an interruption, for which a message was printed
 */
export async function watchUntil<T>(io: CliIo, watched: Watched<T>): Promise<Reply<T> | null> {
  const { first, read, isOver, display, interrupted } = watched
  const interruption = new AbortController()
  const { signal } = interruption
  const stopListening = io.onInterrupt(() => interruption.abort())
  const beganMs = io.now().getTime()
  try {
    let latest = first
    display.show(latest.value)
    while (!isOver(latest.value)) {
      const watchedMs = io.now().getTime() - beganMs
      await io.sleep(Math.min(Math.max(firstPollMs, watchedMs / pollsPerWatched), slowestPollMs), signal)
      latest = await read({ signal, timeoutMs, onWait: display.remark })
      display.show(latest.value)
    }
    return latest
  } catch (error) {
    if (!signal.aborted) throw error
    display.end()
    io.stderr(`${interrupted}\n`)
    return null
  } finally {
    stopListening()
    display.end()
  }
}
