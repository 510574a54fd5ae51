import type { CliIo } from '../cli-io.ts'

/** What is shown of a moment: on a terminal, with so many columns, and in a log. */
export interface ShownLine {
  readonly onTerminal: (columns: number) => string
  readonly inLog: string
}

/** Shows on standard error how far something is. */
export interface LineDisplay {
  show(line: ShownLine): void
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
export function createLineDisplay(io: CliIo): LineDisplay {
  return io.terminalColumns() === null ? displayForLogs(io) : displayForTerminals(io)
}

function displayForTerminals({ stderr, terminalColumns }: CliIo): LineDisplay {
  let line: string | null = null
  // The last column is left free: some terminals begin a new line once it is written.
  const widest = () => (terminalColumns() || usualColumns) - 1
  const draw = (text: string) => {
    line = text
    stderr(clearLine + text.slice(0, widest()))
  }
  return {
    show: ({ onTerminal }) => draw(onTerminal(widest())),
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

function displayForLogs({ stderr, now }: CliIo): LineDisplay {
  let printedAtMs = Number.NEGATIVE_INFINITY
  let printed = ''
  let latest = ''
  const print = (nowMs: number) => {
    stderr(`${latest}\n`)
    printed = latest
    printedAtMs = nowMs
  }
  return {
    show: ({ inLog }) => {
      const nowMs = now().getTime()
      latest = inLog
      if (nowMs - printedAtMs >= quietMs) print(nowMs)
    },
    remark: (text) => stderr(`${text}\n`),
    end: () => {
      if (latest !== printed) print(now().getTime())
    },
  }
}
