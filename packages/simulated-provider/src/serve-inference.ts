import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Behaviour } from './behaviour.ts'
import type { Clock } from './clock.ts'
import type { Attempts } from './control/attempts.ts'
import type { PromptCache } from './control/prompt-cache.ts'
import type { Recorder } from './control/recorder.ts'
import type { Scripts } from './control/scripts.ts'
import { settingsOf } from './control/settings-of.ts'
import { deliver } from './deliver.ts'
import { type Exchange, openExchange, wait } from './exchange.ts'
import type { FoundRoute } from './find-route.ts'
import { nameOfBytes } from './fingerprint.ts'
import { corrupt, deliverPart, hangUp } from './misbehave.ts'
import { readBody } from './read-body.ts'
import { type SimulatedModel, simulatedModel } from './simulated-model.ts'
import { unknownModel } from './wire/models.ts'
import { type Fields, isFields, parseJson } from './wire/read-fields.ts'
import { readForm } from './wire/read-form.ts'
import type { Call, Reply } from './wire/reply.ts'
import type { Wire } from './wire/wire.ts'
import { failureOf, WireError } from './wire/wire-error.ts'

/** The state from which every inference request is answered. */
export interface ProviderState {
  seed: string
  clock: Clock
  recorder: Recorder
  scripts: Scripts
  attempts: Attempts
  prompts: PromptCache
}

/** Serves one POST of an inference surface. */
export function serveInference(
  state: ProviderState,
  route: FoundRoute,
  message: { request: IncomingMessage; response: ServerResponse },
): void {
  const exchange = openExchange(state, message.request, message.response)
  readBody(message.request, (raw) => {
    try {
      respond({ state, route, exchange, raw })
    } catch (error) {
      const refusal = error instanceof WireError ? error : new WireError(500, String(error), { type: 'server_error' })
      refuse(exchange, refusal, route.surface.wire)
    }
  })
}

function respond(options: { state: ProviderState; route: FoundRoute; exchange: Exchange; raw: Buffer }): void {
  const { state, route, exchange, raw } = options
  const { surface } = route
  surface.wire.checkRequest(exchange.request)
  const body = parseBody(raw, exchange.request.headers['content-type'] ?? '')
  const model = modelOf(body, route, exchange)
  if (state.recorder.keepsRows) exchange.row.parameters = settingsOf(body)
  const ordered = state.scripts.take(model.id) ?? model.behaviour
  const behaviour = ordered?.kind === 'recall' ? recalled(state, exchange, body) : ordered
  const call: Call = { seed: state.seed, name: nameOf(raw, route), model, body, behaviour }
  if (behaviour?.kind === 'hangup') {
    hangUp(exchange)
    return
  }
  if (behaviour?.kind === 'fail' && isFailing(behaviour, () => state.attempts.next(call.name))) {
    throw failureOf(behaviour.status)
  }
  const reply = corrupt(surface.answer(call), behaviour, surface.wire)
  exchange.row.usage = reply.usage
  exchange.row.stream = reply.kind === 'stream'
  exchange.endsLate = behaviour?.kind === 'late'
  const delayMs = model.firstTokenMs + (behaviour?.kind === 'slow' ? behaviour.ms : 0)
  wait(exchange, delayMs, () => send(exchange, reply, behaviour))
}

/** The name of a request. When the path names the model, equal bodies to different models are different requests. */
function nameOf(raw: Buffer, { model }: FoundRoute): string {
  return nameOfBytes(model === null ? raw : Buffer.concat([Buffer.from(`${model}\n`), raw]))
}

/** The account is the key, in whatever header that is. */
function recalled({ prompts }: ProviderState, { request: { headers } }: Exchange, body: Fields): Behaviour {
  const account = String(headers.authorization ?? headers['x-api-key'] ?? headers['x-goog-api-key'])
  return { kind: 'cached', tokens: prompts.enter(account, body) }
}

function send(exchange: Exchange, reply: Reply, behaviour: Behaviour | null): void {
  if (behaviour?.kind === 'cut' || behaviour?.kind === 'stall') deliverPart(exchange, reply, behaviour)
  else deliver(exchange, reply, behaviour?.kind === 'pace' ? behaviour.ms : null)
}

function isFailing(behaviour: Behaviour & { kind: 'fail' }, attempt: () => number): boolean {
  return behaviour.times === Infinity || attempt() <= behaviour.times
}

function refuse(exchange: Exchange, error: WireError, wire: Wire): void {
  const headers = [...(error.status === 429 ? ['retry-after', '1'] : []), ...(wire.errorHeaders?.(error) ?? [])]
  const body = wire.errorBody(error)
  deliver(exchange, { kind: 'json', status: error.status, body, tokens: 0, usage: null, headers }, null)
}

function parseBody(raw: Buffer, contentType: string): Fields {
  const body = contentType.startsWith('multipart/form-data') ? readForm(raw, contentType) : parseJson(raw.toString())
  if (isFields(body)) return body
  const message = 'We could not parse the JSON body of your request. The provider expects a JSON object.'
  throw new WireError(400, message)
}

function modelOf(body: Fields, route: FoundRoute, exchange: Exchange): SimulatedModel {
  const id = route.model ?? body.model
  if (typeof id !== 'string' || id === '') throw new WireError(400, 'you must provide a model parameter')
  exchange.row.model = id
  const model = simulatedModel(id)
  if (model === null) throw unknownModel(id)
  if (route.surface.serves(model)) return model
  throw new WireError(400, `The model \`${id}\` does not answer on this endpoint.`, { param: 'model' })
}
