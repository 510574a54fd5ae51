import { isObject } from '@ratchet/service-kit/values/json'
import { parseJsonFacts } from '../../chat-form/parse-json-text.ts'
import { maxMetadata } from '../../exchanges/client-metadata.ts'
import type { Attributes } from './any-value.ts'
import { clientMetadataAttributes, invocationParameters, parameterAttributes } from './exchange-attributes.ts'
import { pickText, pickValue } from './pick-attribute.ts'

export interface SpanParameters {
  readonly params: Readonly<Record<string, unknown>>
  readonly responseFormat: unknown
}

/**
 * Reads the sampling parameters of a span, by their names in chat completions. `responseFormat` is null when there is
 * none.
 */
export function readParameters(attributes: Attributes): SpanParameters {
  const sent = invocationParameters.attributes.map((name) => parseJsonFacts(attributes.get(name))).filter(isObject)
  const invocation: Record<string, unknown> = Object.assign({}, ...sent)
  const format = own(invocation, invocationParameters.responseFormat)
  const params = new Map<string, unknown>()
  for (const name of invocationParameters.taken) set(params, name, own(invocation, name))
  for (const [name, attributeNames] of Object.entries(parameterAttributes)) {
    set(params, name, pickValue(attributes, attributeNames))
  }
  const { user, metadata } = readClientMetadata(attributes)
  if (user !== null) params.set('user', user)
  if (Object.keys(metadata).length > 0) params.set('metadata', metadata)
  return {
    params: Object.fromEntries(params),
    responseFormat: isObject(format) ? format : null,
  }
}

/** Values longer than those of headers, and more than those of a request, are left out. */
function readClientMetadata(attributes: Attributes) {
  const noted = [...attributes].flatMap(([key, value]) => {
    const prefix = clientMetadataAttributes.metadata.find((each) => key.startsWith(each))
    const isNoted = prefix !== undefined && typeof value === 'string' && value.length <= maxNotedLength
    return isNoted ? [[key.slice(prefix.length), value] as const] : []
  })
  const user = pickText(attributes, clientMetadataAttributes.user, maxNotedLength)
  return { user, metadata: Object.fromEntries(noted.slice(0, maxMetadata)) }
}

const maxNotedLength = 256

function set(params: Map<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined && value !== null) params.set(name, value)
}

function own(record: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
