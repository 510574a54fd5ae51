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
  /** For the script that tells wrk what to send. */
  readonly folder: string
}

/** Closed loop by `wrk`, which costs a tenth of what a generator in Node does. Its last requests are cut off. */
export async function runWrk({ request, connections, seconds, folder }: WrkJob): Promise<ClosedLoopResult> {
  const script = path.join(folder, 'wrk.lua')
  writeFileSync(script, wrkScript(request))
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script, request.url]
  const { stdout } = await run('wrk', args)
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1)) as ClosedLoopResult
}

/** wrk counts an answer that is not 2xx or 3xx as an error of its own kind. */
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

/** A string of Lua: every byte that could mean something else as a decimal escape. */
function lua(text: string): string {
  const bytes = [...Buffer.from(text)]
  const escaped = bytes.map((byte) =>
    /[\w .,:/-]/.test(String.fromCharCode(byte)) && byte < 128
      ? String.fromCharCode(byte)
      : `\\${String(byte).padStart(3, '0')}`,
  )
  return `"${escaped.join('')}"`
}
