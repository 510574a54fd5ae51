import type { CliIo } from './cli-io.ts'

export interface RecordingIo extends CliIo {
  /** Everything printed so far. */
  out(): string
  err(): string
  /** How long was slept, each time. */
  slept(): readonly number[]
  /** Presses Ctrl-C; false when nobody listens. */
  interrupt(): boolean
}

/** Surroundings for tests: a clock that stands still but for sleep, which takes no time; bytes that count up, what is
 * piped in, how wide the terminal is, and what was printed. */
export function recordingIo(
  env: CliIo['env'] = {},
  piped: string | null = null,
  terminalColumns: number | null = null,
): RecordingIo {
  let out = ''
  let err = ''
  let byte = 0
  let nowMs = Date.parse('2026-11-21T12:00:00.000Z')
  const slept: number[] = []
  const listeners = new Set<() => void>()
  return {
    env,
    stdout: (text) => {
      out += text
    },
    stderr: (text) => {
      err += text
    },
    stdin: async () => piped,
    terminalColumns: () => terminalColumns,
    now: () => new Date(nowMs),
    sleep: async (ms, signal) => {
      signal.throwIfAborted()
      nowMs += ms
      slept.push(ms)
    },
    onInterrupt: (callBack) => {
      listeners.add(callBack)
      return () => listeners.delete(callBack)
    },
    randomBytes: (count) => Uint8Array.from({ length: count }, () => byte++ % 256),
    out: () => out,
    err: () => err,
    slept: () => slept,
    interrupt: () => {
      for (const callBack of listeners) callBack()
      return listeners.size > 0
    },
  }
}
