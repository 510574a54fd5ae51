import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody } from '../read-body.ts'
import { isFields } from '../wire/read-fields.ts'
import { errorEnvelope, WireError } from '../wire/wire-error.ts'
import type { Attempts } from './attempts.ts'
import type { PromptCache } from './prompt-cache.ts'
import type { Recorder } from './recorder.ts'
import type { SimulatedReport } from './report.ts'
import type { Script, Scripts } from './scripts.ts'

/** What tests can read and change: the record of requests, and behaviours for the next ones. */
export interface Control {
  report(filter?: { model?: string; since?: number }): SimulatedReport
  reset(): void
  /** @throws RangeError for an invalid script */
  script(script: Script): void
}

/** Controls the state of the provider. */
export function createControl(state: {
  recorder: Recorder
  scripts: Scripts
  attempts: Attempts
  prompts: PromptCache
}): Control {
  return {
    report: (filter) => state.recorder.report(filter),
    reset() {
      state.recorder.reset()
      state.scripts.clear()
      state.attempts.clear()
      state.prompts.clear()
    },
    script: (script) => state.scripts.add(script),
  }
}

/** GET /control/report?model=&since=, POST /control/reset, POST /control/script. No key is required. */
export function serveControl(control: Control, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://provider')
  const route = `${request.method} ${url.pathname}`
  readBody(request, (body) => {
    try {
      send(response, 200, JSON.stringify(answer(control, route, { query: url.searchParams, body })))
    } catch (error) {
      const refusal = error instanceof WireError ? error : new WireError(400, String(error))
      send(response, refusal.status, errorEnvelope(refusal))
    }
  })
}

function answer(control: Control, route: string, sent: { query: URLSearchParams; body: Buffer }): object {
  if (route === 'GET /control/report') return control.report(filterOf(sent.query))
  if (route === 'POST /control/script') return queue(control, JSON.parse(sent.body.toString()))
  if (route !== 'POST /control/reset') throw new WireError(404, `Invalid URL (${route})`)
  control.reset()
  return { reset: true }
}

function queue(control: Control, order: unknown): object {
  if (!isFields(order)) throw new WireError(400, 'expected an object {model, behaviour, count}')
  const { model, behaviour, count = 1 } = order
  if (typeof model !== 'string' || typeof behaviour !== 'string' || typeof count !== 'number') {
    throw new WireError(400, 'model and behaviour have to be strings and count a number')
  }
  control.script({ model, behaviour, count })
  return { queued: count }
}

function filterOf(query: URLSearchParams): { model?: string; since?: number } {
  const model = query.get('model')
  const since = query.get('since')
  return { ...(model === null ? {} : { model }), ...(since === null ? {} : { since: Number(since) }) }
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
