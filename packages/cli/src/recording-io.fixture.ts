import type { CliIo } from './cli-io.ts'
import { pipedKeys } from './piped-keys.ts'

export interface RecordingIo extends CliIo {
  /** All output so far. */
  out(): string
  err(): string
  /** The duration of each sleep. */
  slept(): readonly number[]
  /** Presses Ctrl-C; false without a listener. */
  interrupt(): boolean
}

/**
 * Input and output of a command for tests. Its clock moves only by sleep, which takes no time. Random bytes count up, and
 * what was printed is recorded.
 */
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
    keys: () => pipedKeys(Promise.resolve(piped)),
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
