import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { Body } from '../dialect.ts'
import { drop, type Leniency } from '../leniency.ts'
import type { Origins } from '../origins.ts'
import type { ProviderRequest } from '../provider.ts'
import { invalid, Refusal, unsupported } from '../refusal.ts'
import { outputLimitName } from '../responses/output-limit.ts'
import type { ChatRewrite } from '../translate-via-chat.ts'
import { readBetas } from './betas.ts'
import { keepsCacheHints } from './cache-hints.ts'
import { chatMessages } from './chat-messages.ts'
import { chatOutput } from './chat-output.ts'
import { chatTools } from './chat-tools.ts'

/** Translates a Messages request to a chat completion, or names the field that has no equivalent. */
export function chatFromMessages(request: ProviderRequest): ChatRewrite {
  try {
    readBetas(request.hints?.anthropicBeta, { contextWindow: request.model.contextWindow, leniency: request.leniency }) // other providers do not know the features, and all that are allowed can be left out
    const origins: Origins = new Map()
    return { ok: true, body: chatBody(request, origins), origins }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, param, message } = error
    return { ok: false, code, param, message }
  }
}

function chatBody(request: ProviderRequest, origins: Origins): Body {
  const { body, model, stream, leniency } = request
  refuseUnknown(body, leniency)
  const { temperature, top_p, stop_sequences: stop, max_tokens: limit } = body
  if (limit === 0) throw invalid('max_tokens', 'must be at least 1 for this model')
  return dropAbsent({
    model: body.model ?? model.id,
    messages: chatMessages(request, origins),
    [outputLimitName(model)]: limit,
    temperature,
    top_p,
    top_k: drawnFrom(request),
    stop: Array.isArray(stop) && stop.length === 0 ? undefined : stop,
    ...chatTools(body, { origins, keepsHints: keepsCacheHints(model), leniency }),
    ...chatOutput(body, { model, leniency }),
    user: userOf(asObject(body.metadata), leniency),
    stream: stream ? true : undefined,
  })
}

/** `top_k`, which OpenAI and hosts that take only its members do not have. */
function drawnFrom({ body: { top_k: topK }, model, leniency }: ProviderRequest): unknown {
  if (!model.strictMessages || (topK ?? null) === null) return topK
  if (leniency === undefined) throw unsupported('top_k')
  drop(leniency, 'top_k')
  return undefined
}

const translated: ReadonlySet<string> = new Set([
  ...[
    'model',
    'max_tokens',
    'messages',
    'system',
    'stream',
    'temperature',
    'top_p',
    'top_k',
    'stop_sequences',
    'metadata',
  ],
  ...['tools', 'tool_choice', 'thinking', 'output_config'],
  'models', // read by the gateway
  'cache_control',
])

/** Values that are defaults, so that they can be left out. */
const harmless: ReadonlyMap<string, unknown> = new Map([
  ['service_tier', 'auto'],
  ['speed', 'standard'],
  ['inference_geo', 'global'],
])

/** Members that say where data is processed or what is answered, so that leaving them out would not be the same request. */
const meaningful: ReadonlySet<string> = new Set(['compaction', 'inference_geo', 'thread'])

function refuseUnknown(body: Body, leniency: Leniency | undefined): void {
  for (const [name, value] of Object.entries(body)) {
    if (translated.has(name) || value === null || isEmptyList(value) || harmless.get(name) === value) continue
    if (leniency === undefined || (meaningful.has(name) && !leniency.dropsParameters)) throw unsupported(name)
    drop(leniency, name)
  }
}

function userOf(metadata: Fields | null, leniency: Leniency | undefined): unknown {
  const { user_id: user, ...others } = metadata ?? {}
  for (const [name, value] of Object.entries(others)) {
    if (value === null) continue
    if (leniency === undefined) throw unsupported(`metadata.${name}`)
    drop(leniency, `metadata.${name}`)
  }
  return user
}

/** Removes members that are undefined or null. */
function dropAbsent(body: Body): Body {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined && value !== null))
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
