import { asList, isObject } from '@ratchet/service-kit/values/json'
import type { Body, Dialect } from '../wire/dialect.ts'

/**
 * The leading system and developer messages of a request, from which the log computes its segment. Those of other dialects
 * than chat are written as in chat.
 */
export function instructionsOf(dialect: Dialect, body: Body): readonly unknown[] {
  if (dialect === 'chat') return leading(asList(body.messages))
  if (dialect === 'messages') return asSystem(body.system)
  if (dialect === 'responses') return [...asSystem(body.instructions), ...leading(asList(body.input))]
  return []
}

function leading(messages: readonly unknown[]): readonly unknown[] {
  const first = messages.findIndex((each) => !isObject(each) || (each.role !== 'system' && each.role !== 'developer'))
  return first === -1 ? messages : messages.slice(0, first)
}

function asSystem(content: unknown): readonly unknown[] {
  return content === undefined || content === null ? [] : [{ role: 'system', content }]
}
