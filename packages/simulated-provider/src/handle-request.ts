import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type Control, serveControl } from './control/serve-control.ts'
import { decoded, findRoute } from './find-route.ts'
import { type ProviderState, serveInference } from './serve-inference.ts'
import { describeModel, listModels } from './wire/models.ts'
import { errorEnvelope, WireError } from './wire/wire-error.ts'

/** The provider's routes: inference, models, control, `GET /healthz` and `GET /readyz`. */
export function handleRequests(state: ProviderState, control: Control): RequestListener {
  return (request, response) => {
    const path = pathOf(request)
    const route = request.method === 'POST' ? findRoute(path) : null
    if (route !== null) serveInference(state, route, { request, response })
    else if (path.startsWith('/control/')) serveControl(control, request, response)
    else serveReading(path, request, response)
  }
}

function serveReading(path: string, request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  try {
    send(response, 200, read(path, request.method ?? ''))
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    send(response, error.status, errorEnvelope(error))
  }
}

function read(path: string, method: string): string {
  if (findRoute(path) !== null) {
    const message = `Not allowed to ${method} on ${path}. (HINT: Perhaps you meant to POST)`
    throw new WireError(405, message, { code: 'method_not_supported' })
  }
  if (method === 'GET' && (path === '/healthz' || path === '/readyz')) return '{"status":"ok"}'
  if (method === 'GET' && path === '/v1/models') return listModels()
  if (method === 'GET' && path.startsWith('/v1/models/'))
    return describeModel(decoded(path.slice('/v1/models/'.length)))
  throw new WireError(404, `Invalid URL (${method} ${path})`)
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '/'
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}
