import type { CliIo } from './cli-io.ts'

export interface RecordingIo extends CliIo {
  /** Everything printed so far. */
  out(): string
  err(): string
}

/** Surroundings for tests: a clock that stands still, bytes that count up, what is piped in, and what was
 * printed. */
export function recordingIo(env: CliIo['env'] = {}, piped: string | null = null): RecordingIo {
  let out = ''
  let err = ''
  let byte = 0
  return {
    env,
    stdout: (text) => {
      out += text
    },
    stderr: (text) => {
      err += text
    },
    stdin: async () => piped,
    now: () => new Date('2026-11-21T12:00:00.000Z'),
    randomBytes: (count) => Uint8Array.from({ length: count }, () => byte++ % 256),
    out: () => out,
    err: () => err,
  }
}
