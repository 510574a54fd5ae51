/** How fast the reader of an answer must be, so that it does not hold memory for hours. */
export interface ReaderPaceOptions {
  /**
   * Milliseconds in which the buffer of the answer may be full before the reader has taken `minBytes`. Time in which all
   * that was written is taken does not count.
   */
  readonly windowMs: number
  /** Called once, when the reader is too slow. */
  readonly onSlow: () => void
  /** Absent: 64 KiB. */
  readonly minBytes?: number
  /** A clock that never goes back. Absent: that of the process. */
  readonly nowMs?: () => number
}

/** Watches the reader of one answer. */
export interface ReaderPace {
  /** Bytes were written, and the buffer is full. @param windowMs a shorter window until the reader has taken `minBytes` */
  full(windowMs?: number): void
  /** The reader took all that was written. */
  drained(): void
  /** Counts bytes before they are written. */
  wrote(bytes: number): void
  /** Ends the watch. */
  stop(): void
}

const defaultMinBytes = 65_536

/** A reader that takes a few bytes from time to time is as slow as one that takes none. */
export function createReaderPace({
  windowMs,
  onSlow,
  minBytes = defaultMinBytes,
  nowMs = () => performance.now(),
}: ReaderPaceOptions): ReaderPace {
  let written = 0
  /** What was written when the window began. */
  let base = 0
  let fullMs = 0
  let fullSince: number | null = null
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const end = () => {
    isOver = true
    onSlow()
  }

  return {
    full(shorter = windowMs) {
      if (fullSince !== null || isOver) return
      fullSince = nowMs()
      timer = setTimeout(end, Math.max(0, Math.min(shorter, windowMs) - fullMs))
    },
    drained() {
      if (fullSince === null) return
      clearTimeout(timer)
      fullMs += nowMs() - fullSince
      fullSince = null
      if (written - base < minBytes) return
      base = written
      fullMs = 0
    },
    wrote(bytes) {
      written += bytes
    },
    stop() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
