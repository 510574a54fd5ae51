import type { Script } from '@ratchet/simulated-provider/control/scripts'
import { type Cell, isMedia, type SurfaceName } from './matrix.ts'

/** How a cell is executed. */
export interface Plan {
  /** The requested model. */
  readonly model: string
  /** The model that answers instead; null when the requested one answers. */
  readonly spare: string | null
  /** Where the fallback model is named. */
  readonly spareFrom: 'request' | 'workspace'
  /** The defect of the provider, and for how many calls. */
  readonly script: Script | null
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
  /** For each request in order: whether it is streamed. */
  readonly requests: readonly boolean[]
  /** For each call in order: how it ends at the provider. */
  readonly calls: readonly CallEnd[]
}

/** The status of a complete answer, or how the call ended without one. */
export type CallEnd = '200' | '503' | 'left' | 'unfinished'

const usualModels: Readonly<Record<SurfaceName, string>> = {
  chat: 'large',
  responses: 'large',
  messages: 'large',
  completions: 'large',
  compactions: 'large',
  sockets: 'large',
  gemini: 'large',
  embeddings: 'embed-expensive',
  rerank: 'rerank',
  moderations: 'moderate-expensive',
  images: 'image',
  speech: 'speech',
  transcriptions: 'transcribe',
}
/** Models at another price that fail when a fallback is tested. */
const failingModels: Readonly<Record<SurfaceName, string>> = {
  chat: 'medium',
  responses: 'medium',
  messages: 'medium',
  completions: 'medium',
  compactions: 'medium',
  sockets: 'medium',
  gemini: 'medium',
  embeddings: 'embed',
  rerank: 'rerank-expensive',
  moderations: 'moderate',
  images: 'image-flat',
  speech: 'speech-expensive',
  transcriptions: 'transcribe-expensive',
}

export const reasoningTokens = 37
/** Of the model `hidden`. */
export const hiddenTokens = 1_000
const cachedTokens = 7
/** Bytes after which a provider disconnects: inside a body, or inside a stream that has some text. */
const cutAfter = { plain: 60, stream: 3_500 }

/** Bytes after which it disconnects inside the text that follows its searches. */
const cutAfterSearches = 7_000

/** @param key of an idempotent request */
export function planOf(cell: Cell, key: string): Plan {
  const { surface, wire, delivery, condition } = cell
  const model = `${wire}/${cell.model ?? usualModels[surface]}`
  const isStream = delivery === 'stream'
  const usual: Plan = {
    model,
    spare: null,
    spareFrom: 'request',
    script: null,
    headers: {},
    requests: [isStream],
    calls: ['200'],
  }
  const misbehaving = (behaviour: string): Plan => ({ ...usual, script: { model: upstreamOf(model), behaviour } })
  switch (condition) {
    case 'nothing special':
    case 'batch':
    case 'tool call':
      return usual
    case 'cached input':
      return misbehaving(`cached-${cachedTokens}`)
    case 'cache write':
    case 'cache write for an hour':
      return { ...usual, model: `${wire}/cache-writer` }
    case 'hosted tool':
      return { ...usual, model: `${wire}/${cell.model ?? 'hosted'}` }
    case 'service tier':
      return { ...usual, model: `${wire}/hosted` }
    case 'cut after a search':
      return { ...misbehaving(`cut-${cutAfterSearches}`), model: `${wire}/hosted`, calls: ['unfinished'] }
    case 'reasoning':
      return misbehaving(`reasoning-${reasoningTokens}`)
    case 'zero usage':
      return misbehaving('zero-usage')
    case 'missing usage':
      return misbehaving('no-usage')
    case 'cache hit':
      // The first request uses the other delivery, so that a stored stream is returned unstreamed, and the reverse.
      return { ...usual, headers: { 'x-svc-cache': 'on' }, requests: [surfaceStreams(surface) && !isStream, isStream] }
    case 'idempotent replay':
      return { ...usual, headers: { 'idempotency-key': key }, requests: [isStream, isStream] }
    case 'retry':
      return {
        ...usual,
        script: { model: upstreamOf(model), behaviour: 'fail-503', count: 2 },
        calls: ['503', '503', '200'],
      }
    case 'fallback':
      return fallback(cell, usual)
    case 'client leaves':
      return leaving(cell, usual)
    case 'leaves before the first token':
      return { ...usual, model: `${wire}/silent`, calls: ['left'] }
    case 'leaves after a fallback':
      return leavingFallback(cell, usual)
    case 'leaves on the last token':
      return { ...usual, model: `${wire}/late`, calls: ['left'] }
    case 'hidden reasoning':
      return { ...usual, model: `${wire}/hidden` }
    case 'early usage':
      return misbehaving('early-usage')
    case 'upstream cut':
      return { ...misbehaving(`cut-${cutAfter[delivery]}`), calls: ['unfinished'] }
  }
}

function fallback({ surface, wire, delivery }: Cell, usual: Plan): Plan {
  const model = `${wire}/${failingModels[surface]}`
  return {
    ...usual,
    model,
    spare: usual.model,
    // A form has no list of models.
    spareFrom: delivery === 'stream' || surface === 'transcriptions' ? 'workspace' : 'request',
    script: { model: upstreamOf(model), behaviour: 'fail-503', count: 3 },
    calls: ['503', '503', '503', '200'],
  }
}

/** The first model accepts the request and reports an error, three times; the client disconnects from the next one. */
function leavingFallback({ surface, wire }: Cell, usual: Plan): Plan {
  const model = `${wire}/${failingModels[surface]}`
  return {
    ...usual,
    model,
    spare: `${wire}/silent`,
    script: { model, behaviour: 'errorfirst', count: 3 },
    calls: ['200', '200', '200', 'left'],
  }
}

/** The client disconnects inside a stream, or before an unstreamed answer, which is then completed. */
function leaving({ wire, delivery }: Cell, usual: Plan): Plan {
  if (delivery === 'stream') return { ...usual, model: `${wire}/paced`, calls: ['left'] }
  return { ...usual, script: { model: upstreamOf(usual.model), behaviour: 'slow-1500' } }
}

export function surfaceStreams(surface: SurfaceName): boolean {
  return surface !== 'embeddings' && surface !== 'rerank' && !isMedia(surface)
}

/** The provider's name of a catalog model. */
function upstreamOf(model: string): string {
  return model.replace(/(embed|rerank|moderate|speech|transcribe)-.*$/, '$1')
}
