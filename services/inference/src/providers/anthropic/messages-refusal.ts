import { isDeepStrictEqual } from 'node:util'
import { asObject } from '@ratchet/service-kit/values/json'
import type { Body } from '../../wire/dialect.ts'
import { Refusal, unsupported } from '../../wire/refusal.ts'

/**
 * Refuses the features of a native Messages body that cost more than the catalog states, or that Anthropic runs and
 * charges for itself; null when there are none. Anthropic itself refuses fields that it does not know.
 */
export function messagesRefusal(body: Body): Refusal | null {
  return refusedParameter(body) ?? refusedTool(body.tools) ?? longCache(body)
}

/** Top-level members that change the price, each with the values that do not. */
const priced: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['speed', ['standard']],
  ['inference_geo', ['global']],
  ['service_tier', ['auto', 'standard_only']],
  ['container', []], // for code execution
  ['mcp_servers', [[]]],
  ['fallbacks', [[]]], // names other models, which have prices of their own
  ['context_management', [{}]], // the tokens that it uses are not in the usage of the answer
])

function refusedParameter(body: Body): Refusal | null {
  for (const [name, harmless] of priced) {
    const value = Object.hasOwn(body, name) ? (body[name] ?? null) : null
    if (value === null || harmless.some((known) => isDeepStrictEqual(known, value))) continue
    return unsupported(name, 'its price is not in the catalog')
  }
  return null
}

/** Tools that the client runs. All types but `custom` have a date, as in `bash_20250124`. */
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

/** Members that contain JSON of the client, in which `cache_control` has no meaning. */
const opaque: ReadonlySet<string> = new Set(['input', 'input_schema', 'input_examples', 'schema', 'properties'])

interface Place {
  readonly value: unknown
  readonly path: string
}

/** A cache with a lifetime of an hour costs more than the catalog states. */
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
