import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Behaviour } from './behaviour.ts'
import type { Clock } from './clock.ts'
import type { Attempts } from './control/attempts.ts'
import type { Recorder } from './control/recorder.ts'
import type { Scripts } from './control/scripts.ts'
import { settingsOf } from './control/settings-of.ts'
import { deliver } from './deliver.ts'
import { type Exchange, openExchange, wait } from './exchange.ts'
import { nameOfBytes } from './fingerprint.ts'
import { deliverPart, hangUp, spoil } from './misbehave.ts'
import { readBody } from './read-body.ts'
import { type SimulatedModel, simulatedModel } from './simulated-model.ts'
import { unknownModel } from './wire/models.ts'
import { type Fields, isFields } from './wire/read-fields.ts'
import type { Call, Reply, Surface } from './wire/reply.ts'
import { errorEnvelope, failureOf, WireError } from './wire/wire-error.ts'

/** What every inference request is served from. */
export interface ProviderState {
  seed: string
  clock: Clock
  recorder: Recorder
  scripts: Scripts
  attempts: Attempts
}

/** A surface and the models that answer on it; models that only misbehave answer on every surface. */
export interface ServedSurface {
  answer: Surface
  serves(model: SimulatedModel): boolean
}

/** Serves one POST of an inference surface. */
export function serveInference(
  state: ProviderState,
  surface: ServedSurface,
  message: { request: IncomingMessage; response: ServerResponse },
): void {
  const exchange = openExchange(state, message.request, message.response)
  readBody(message.request, (raw) => {
    try {
      respond({ state, surface, exchange, raw })
    } catch (error) {
      refuse(exchange, error instanceof WireError ? error : new WireError(500, String(error), { type: 'server_error' }))
    }
  })
}

function respond(options: { state: ProviderState; surface: ServedSurface; exchange: Exchange; raw: Buffer }): void {
  const { state, surface, exchange, raw } = options
  requireKey(exchange.request)
  const body = parseBody(raw)
  const model = modelOf(body, surface, exchange)
  if (state.recorder.keepsRows) exchange.row.parameters = settingsOf(body)
  const behaviour = state.scripts.take(model.id) ?? model.behaviour
  const call: Call = { seed: state.seed, name: nameOfBytes(raw), model, body, behaviour }
  if (behaviour?.kind === 'hangup') {
    hangUp(exchange)
    return
  }
  if (behaviour?.kind === 'fail' && isFailing(behaviour, () => state.attempts.next(call.name))) {
    throw failureOf(behaviour.status)
  }
  const reply = spoil(surface.answer(call), behaviour)
  exchange.row.usage = reply.usage
  exchange.row.stream = reply.kind === 'stream'
  const delayMs = model.firstTokenMs + (behaviour?.kind === 'slow' ? behaviour.ms : 0)
  wait(exchange, delayMs, () => send(exchange, reply, behaviour))
}

function send(exchange: Exchange, reply: Reply, behaviour: Behaviour | null): void {
  if (behaviour?.kind === 'cut' || behaviour?.kind === 'stall') deliverPart(exchange, reply, behaviour)
  else deliver(exchange, reply, behaviour?.kind === 'pace' ? behaviour.ms : null)
}

function isFailing(behaviour: Behaviour & { kind: 'fail' }, attempt: () => number): boolean {
  return behaviour.times === Infinity || attempt() <= behaviour.times
}

function refuse(exchange: Exchange, error: WireError): void {
  const waits = error.status === 429 ? { retryAfter: '1' } : {}
  const reply = {
    kind: 'json',
    status: error.status,
    body: errorEnvelope(error),
    tokens: 0,
    usage: null,
    ...waits,
  } as const
  deliver(exchange, reply, null)
}

function requireKey(request: IncomingMessage): void {
  if (/^Bearer \S/i.test(request.headers.authorization ?? '')) return
  const message =
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
    '(i.e. Authorization: Bearer YOUR_KEY).'
  throw new WireError(401, message)
}

function parseBody(raw: Buffer): Fields {
  const body = parseJson(raw.toString())
  if (isFields(body)) return body
  const message = 'We could not parse the JSON body of your request. The provider expects a JSON object.'
  throw new WireError(400, message)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function modelOf(body: Fields, surface: ServedSurface, exchange: Exchange): SimulatedModel {
  const id = body.model
  if (typeof id !== 'string' || id === '') throw new WireError(400, 'you must provide a model parameter')
  exchange.row.model = id
  const model = simulatedModel(id)
  if (model === null) throw unknownModel(id)
  if (surface.serves(model)) return model
  throw new WireError(400, `The model \`${id}\` does not answer on this endpoint.`, { param: 'model' })
}
