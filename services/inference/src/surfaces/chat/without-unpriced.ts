import type { JsonEdits } from '@ratchet/service-kit/json/edit-json'
import { asList, asObject, isAbsent } from '@ratchet/service-kit/values/json'
import type { Body } from '../../wire/dialect.ts'
import { drop, type Leniency } from '../../wire/leniency.ts'
import { offeredTools } from '../../wire/offered-tools.ts'
import { unsupported } from '../../wire/refusal.ts'

/** Services that a provider charges for separately, such as web search. The catalog has no price for them. */
const pricedApart = ['web_search_options', 'search_parameters', 'plugins', 'web_search', 'compound_custom'] as const

/** Tools that the client runs. A provider would run all others, and charge for them separately. */
const clientTools: ReadonlySet<unknown> = new Set(['function', 'custom'])

/**
 * The edits of a chat body that remove such services, and that name the type of functions which have none.
 *
 * @throws Refusal naming the service, without leniency or when the answer must come from it
 */
export function withoutUnpriced(body: Body, leniency: Leniency | undefined): JsonEdits {
  const services = pricedApart.filter((name) => !isAbsent(body[name]))
  for (const name of services) {
    if (leniency === undefined) throw unsupported(name, 'its price is not in the catalog')
    drop(leniency, name)
  }
  return { ...Object.fromEntries(services.map((name) => [name, undefined])), ...toolEdits(body, leniency) }
}

function toolEdits(body: Body, leniency: Leniency | undefined): JsonEdits {
  const given = asList(body.tools)
  if (given.every((tool) => clientTools.has(asObject(tool)?.type))) return {}
  const kept = offeredTools(body, { isKept: ({ type }) => isAbsent(type) || clientTools.has(type), leniency })
  if (kept.length === 0) return { tools: undefined, tool_choice: undefined, parallel_tool_calls: undefined }
  return { tools: JSON.stringify(kept.map(({ tool }) => ({ ...tool, type: tool.type ?? 'function' }))) }
}
