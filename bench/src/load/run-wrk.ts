import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { ClosedLoopResult, LoadRequest } from './load-job.ts'

const run = promisify(execFile)

export interface WrkJob {
  readonly request: LoadRequest
  readonly connections: number
  readonly seconds: number
  /** Folder for the script with the request for wrk. */
  readonly folder: string
}

/** A closed loop by `wrk`, which needs a tenth of the CPU of a generator in Node. Its last requests are aborted. */
export async function runWrk({ request, connections, seconds, folder }: WrkJob): Promise<ClosedLoopResult> {
  const script = path.join(folder, 'wrk.lua')
  writeFileSync(script, wrkScript(request))
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script, request.url]
  const { stdout } = await run('wrk', args)
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1)) as ClosedLoopResult
}

/** wrk counts answers other than 2xx and 3xx separately from its other errors. */
export function wrkScript({ headers, body }: LoadRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers[${lua(name)}] = ${lua(value)}`)
  return `wrk.method = "POST"
${lines.join('\n')}
wrk.body = ${lua(body)}
function done(summary)
  local errors = summary.errors
  local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('\\n{"requests":%d,"failures":%d,"perSecond":%.3f}',
    summary.requests, failures, summary.requests * 1e6 / summary.duration))
end
`
}

/** A string literal of Lua, with special bytes as decimal escapes. */
function lua(text: string): string {
  const bytes = [...Buffer.from(text)]
  const escaped = bytes.map((byte) =>
    /[\w .,:/-]/.test(String.fromCharCode(byte)) && byte < 128
      ? String.fromCharCode(byte)
      : `\\${String(byte).padStart(3, '0')}`,
  )
  return `"${escaped.join('')}"`
}
