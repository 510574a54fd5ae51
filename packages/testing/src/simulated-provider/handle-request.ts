import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type Control, serveControl } from './control/serve-control.ts'
import { type ProviderState, type ServedSurface, serveInference } from './serve-inference.ts'
import type { SimulatedModel } from './simulated-model.ts'
import { answerChatCompletion } from './wire/chat-completion.ts'
import { answerEmbeddings } from './wire/embeddings.ts'
import { describeModel, listModels } from './wire/models.ts'
import { answerCohereRerank, answerRerank } from './wire/rerank.ts'
import { answerResponses } from './wire/responses.ts'
import { errorEnvelope, WireError } from './wire/wire-error.ts'

const servesText = ({ task }: SimulatedModel) => task !== 'embed' && task !== 'rerank'
const servesVectors = ({ task, behaviour }: SimulatedModel) => task === 'embed' || behaviour !== null
const servesRanks = ({ task, behaviour }: SimulatedModel) => task === 'rerank' || behaviour !== null

const surfaces = new Map<string, ServedSurface>([
  ['/v1/chat/completions', { answer: answerChatCompletion, serves: servesText }],
  ['/v1/responses', { answer: answerResponses, serves: servesText }],
  ['/v1/embeddings', { answer: answerEmbeddings, serves: servesVectors }],
  ['/v1/rerank', { answer: answerRerank, serves: servesRanks }],
  ['/v2/rerank', { answer: answerCohereRerank, serves: servesRanks }],
])

/** The provider's routes: inference, models, control, `GET /healthz` and `GET /readyz`. */
export function handleRequests(state: ProviderState, control: Control): RequestListener {
  return (request, response) => {
    const path = pathOf(request)
    const surface = surfaces.get(path)
    if (surface !== undefined && request.method === 'POST') serveInference(state, surface, { request, response })
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
  if (surfaces.has(path)) {
    const message = `Not allowed to ${method} on ${path}. (HINT: Perhaps you meant to POST)`
    throw new WireError(405, message, { code: 'method_not_supported' })
  }
  if (method === 'GET' && (path === '/healthz' || path === '/readyz')) return '{"status":"ok"}'
  if (method === 'GET' && path === '/v1/models') return listModels()
  if (method === 'GET' && path.startsWith('/v1/models/'))
    return describeModel(decoded(path.slice('/v1/models/'.length)))
  throw new WireError(404, `Invalid URL (${method} ${path})`)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
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
