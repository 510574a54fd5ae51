import { isObject } from '@ratchet/service-kit/values/json'
import type { Attributes } from './any-value.ts'
import { invocationParameters, parameterAttributes } from './exchange-attributes.ts'
import { parseJsonText } from './parse-json-text.ts'
import { pickValue } from './pick-attribute.ts'

export interface SpanParameters {
  readonly params: Readonly<Record<string, unknown>>
  readonly responseFormat: unknown
}

/**
 * Reads the sampling parameters of a span, by their names in chat completions. `responseFormat` is null when there is
 * none.
 */
export function readParameters(attributes: Attributes): SpanParameters {
  const sent = parseJsonText(attributes.get(invocationParameters.attribute))
  const invocation = isObject(sent) ? sent : {}
  const params = new Map<string, unknown>()
  for (const name of invocationParameters.taken) set(params, name, own(invocation, name))
  for (const [name, attributeNames] of Object.entries(parameterAttributes)) {
    set(params, name, pickValue(attributes, attributeNames))
  }
  return {
    params: Object.fromEntries(params),
    responseFormat: own(invocation, invocationParameters.responseFormat) ?? null,
  }
}

function set(params: Map<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined && value !== null) params.set(name, value)
}

function own(record: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
