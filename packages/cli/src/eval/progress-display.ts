import type { CliIo } from '../cli-io.ts'
import { type FirstLook, type Progressing, progressBar, progressText } from './progress-text.ts'

/** Shows on standard error how far an eval is. */
export interface ProgressDisplay {
  show(seen: Progressing): void
  /** A line that stays, such as why nothing moves. */
  remark(text: string): void
  /** Leaves the line, once the last state has been shown. */
  end(): void
}

const quietMs = 10_000
/** Of a terminal that says it has none. */
const usualColumns = 80
const clearLine = '\r\u001b[2K'

/** One line that is written over on a terminal; elsewhere, as in a log of CI, a line now and then. */
export function createProgressDisplay(io: CliIo): ProgressDisplay {
  return io.terminalColumns() === null ? displayForLogs(io) : displayForTerminals(io)
}

function displayForTerminals({ stderr, terminalColumns, now }: CliIo): ProgressDisplay {
  const textOf = progressTexts()
  let line: string | null = null
  // The last column is left free: some terminals begin a new line once it is written.
  const widest = () => (terminalColumns() || usualColumns) - 1
  const draw = (text: string) => {
    line = text
    stderr(clearLine + text.slice(0, widest()))
  }
  return {
    show: (seen) => {
      const text = textOf(seen, now().getTime())
      draw(progressBar(seen, widest() - text.length - 1) + text)
    },
    remark: (text) => {
      stderr(`${clearLine}${text}\n`)
      if (line !== null) draw(line)
    },
    end: () => {
      if (line !== null) stderr('\n')
      line = null
    },
  }
}

function displayForLogs({ stderr, now }: CliIo): ProgressDisplay {
  const textOf = progressTexts()
  let printedAtMs = Number.NEGATIVE_INFINITY
  let printed = ''
  let latest = ''
  const print = (nowMs: number) => {
    stderr(`${latest}\n`)
    printed = latest
    printedAtMs = nowMs
  }
  return {
    show: (seen) => {
      const nowMs = now().getTime()
      latest = `${seen.id}: ${textOf(seen, nowMs)}`
      if (nowMs - printedAtMs >= quietMs) print(nowMs)
    },
    remark: (text) => stderr(`${text}\n`),
    end: () => {
      if (latest !== printed) print(now().getTime())
    },
  }
}

function progressTexts(): (seen: Progressing, nowMs: number) => string {
  let first: FirstLook | null = null
  return (seen, nowMs) => {
    // Until it runs there is no pace.
    if (first === null || seen.status === 'PENDING') first = { done: seen.progress.done, atMs: nowMs }
    return progressText(seen, first, nowMs)
  }
}
