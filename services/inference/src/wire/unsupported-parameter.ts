import { isDeepStrictEqual } from 'node:util'
import type { CatalogModel } from '../catalog/catalog.ts'

/** Default values, which clients send without requiring them. */
const DEFAULTS: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['temperature', [1]],
  ['top_p', [1]],
  ['presence_penalty', [0]],
  ['frequency_penalty', [0]],
  ['logprobs', [false]],
  ['top_logprobs', [0]],
  ['logit_bias', [{}]],
  ['response_format', [{ type: 'text' }]],
  ['service_tier', ['auto', 'default']],
  ['enable_search', [false]],
])

/** The first parameter of the body that the catalog marks as unsupported, or null. Defaults and nulls are accepted. */
export function unsupportedParameter(model: CatalogModel, body: Readonly<Record<string, unknown>>): string | null {
  const { unsupportedParameters: names, serviceTiers } = model
  const isPriced = (name: string) => name === 'service_tier' && serviceTiers.has(String(body[name]))
  return names.find((name) => Object.hasOwn(body, name) && asksFor(name, body[name]) && !isPriced(name)) ?? null
}

function asksFor(name: string, value: unknown): boolean {
  if (value === null || value === undefined) return false
  return !(DEFAULTS.get(name) ?? []).some((harmless) => isDeepStrictEqual(harmless, value))
}
