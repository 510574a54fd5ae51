import type { Script } from '@ratchet/simulated-provider/control/scripts'
import type { Cell, SurfaceName } from './matrix.ts'

/** How a cell is brought about. */
export interface Plan {
  /** Asked for. */
  readonly model: string
  /** Answers in its place; null when it answers itself. */
  readonly spare: string | null
  /** Who names the spare model. */
  readonly spareFrom: 'request' | 'workspace'
  /** How the provider misbehaves, for as many of its calls as that takes. */
  readonly script: Script | null
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether each request is streamed, in order. */
  readonly requests: readonly boolean[]
  /** How each call ends at the provider, in order. */
  readonly calls: readonly CallEnd[]
}

/** A status of an answer that was sent whole, or what came in its place. */
export type CallEnd = '200' | '503' | 'left' | 'unfinished'

const usualModels: Readonly<Record<SurfaceName, string>> = {
  chat: 'large',
  responses: 'large',
  messages: 'large',
  embeddings: 'embed-dear',
  rerank: 'rerank',
}
/** Models at another price, which fail where a fallback is wanted. */
const failingModels: Readonly<Record<SurfaceName, string>> = {
  chat: 'medium',
  responses: 'medium',
  messages: 'medium',
  embeddings: 'embed',
  rerank: 'rerank-dear',
}

export const reasoningTokens = 37
export const cachedTokens = 7
/** Bytes after which a provider breaks off: in the middle of a body, or of a stream that has said something. */
const cutAfter = { plain: 60, stream: 3_500 }

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
    case 'tool call':
      return usual
    case 'cached input':
      return misbehaving(`cached-${cachedTokens}`)
    case 'cache write':
      return { ...usual, model: `${wire}/cache-writer` }
    case 'reasoning':
      return misbehaving(`reasoning-${reasoningTokens}`)
    case 'zero usage':
      return misbehaving('zero-usage')
    case 'missing usage':
      return misbehaving('no-usage')
    case 'cache hit':
      // Filled by the other delivery: what was streamed is given again whole, and the other way round.
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
    spareFrom: delivery === 'stream' ? 'workspace' : 'request',
    script: { model: upstreamOf(model), behaviour: 'fail-503', count: 3 },
    calls: ['503', '503', '503', '200'],
  }
}

/** From a stream after some of it, else before the answer. */
function leaving({ surface, wire }: Cell, usual: Plan): Plan {
  const left: Plan = { ...usual, calls: ['left'] }
  if (surfaceStreams(surface)) return { ...left, model: `${wire}/paced` }
  return { ...left, script: { model: upstreamOf(usual.model), behaviour: 'slow-20000' } }
}

export function surfaceStreams(surface: SurfaceName): boolean {
  return surface !== 'embeddings' && surface !== 'rerank'
}

/** The provider's own name of a model of ours. */
function upstreamOf(model: string): string {
  return model.replace(/(embed|rerank)-.*$/, '$1')
}
