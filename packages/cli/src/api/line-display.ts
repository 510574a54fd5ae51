import type { CliIo } from '../cli-io.ts'

/** The text for one state: on a terminal with a number of columns, and in a log. */
export interface ShownLine {
  readonly onTerminal: (columns: number) => string
  readonly inLog: string
}

/** Shows progress on standard error. */
export interface LineDisplay {
  show(line: ShownLine): void
  /** Prints a line that remains, such as the reason of a delay. */
  remark(text: string): void
  /** Ends the line after the last state. */
  end(): void
}

const quietMs = 10_000
/** Columns of a terminal that reports 0. */
const usualColumns = 80
const clearLine = '\r\u001b[2K'

/** Overwrites one line on a terminal. Elsewhere, as in a CI log, it prints a line from time to time. */
export function createLineDisplay(io: CliIo): LineDisplay {
  return io.terminalColumns() === null ? displayForLogs(io) : displayForTerminals(io)
}

function displayForTerminals({ stderr, terminalColumns }: CliIo): LineDisplay {
  let line: string | null = null
  // The last column stays empty, because some terminals begin a new line after it.
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
