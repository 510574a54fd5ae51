import { isDeepStrictEqual } from 'node:util'
import { asObject } from '../../wire/chat/chat-chunk.ts'
import type { Body } from '../../wire/dialect.ts'
import { Refusal, unsupported } from '../../wire/refusal.ts'

/**
 * What a native Messages body asks for that costs more than the catalog knows of, or that Anthropic runs on its own
 * side and bills for; null when there is nothing of the kind. Everything else is left to Anthropic, which refuses what
 * it does not know.
 */
export function messagesRefusal(body: Body): Refusal | null {
  return refusedParameter(body) ?? refusedTool(body.tools) ?? longCache(body)
}

/** Top-level members that change the price, and the values with which they do not. */
const priced: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['speed', ['standard']],
  ['inference_geo', ['global']],
  ['service_tier', ['auto', 'standard_only']],
  ['container', []], // of code execution
  ['mcp_servers', [[]]],
  ['fallbacks', [[]]], // other models, with prices of their own
  ['context_management', [{}]], // what it runs is not in the counts of the answer
])

function refusedParameter(body: Body): Refusal | null {
  for (const [name, harmless] of priced) {
    const value = Object.hasOwn(body, name) ? (body[name] ?? null) : null
    if (value === null || harmless.some((known) => isDeepStrictEqual(known, value))) continue
    return unsupported(name, 'its price is not in the catalog')
  }
  return null
}

/** Tools that the caller runs; the types of all but its own carry a date, as in `bash_20250124`. */
const clientTools = /^(custom|bash_|text_editor_|computer_|memory_|browser_toolset_)/

function refusedTool(tools: unknown): Refusal | null {
  if (!Array.isArray(tools)) return null
  for (const [index, tool] of tools.entries()) {
    const type = asObject(tool)?.type ?? 'custom'
    if (typeof type !== 'string' || clientTools.test(type)) continue
    const param = `tools.${index}.type`
    const message = `${param}: ${type.slice(0, 64)} runs at the provider and is billed apart, so it is not supported.`
    return new Refusal(param, 'unsupported_tool', message)
  }
  return null
}

/** What a caller's own JSON stands under, in which `cache_control` means nothing. */
const opaque: ReadonlySet<string> = new Set(['input', 'input_schema', 'input_examples', 'schema', 'properties'])

interface Place {
  readonly value: unknown
  readonly path: string
}

/** A cache that is kept for an hour is dearer to write than the catalog says. */
function longCache(body: Body): Refusal | null {
  const places: Place[] = [{ value: body, path: '' }]
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const ttl = asObject(asObject(place.value)?.cache_control)?.ttl ?? '5m'
    const path = place.path === '' ? '' : `${place.path}.`
    if (ttl !== '5m') return unsupported(`${path}cache_control.ttl`, 'only caches of 5m have a price in the catalog')
    places.push(...inside(place))
  }
  return null
}

function inside({ value, path }: Place): Place[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value)
    .filter(([key, child]) => typeof child === 'object' && child !== null && !opaque.has(key))
    .map(([key, child]) => ({ value: child, path: path === '' ? key : `${path}.${key}` }))
}
