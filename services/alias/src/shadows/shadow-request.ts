import type { LogEntry } from '@ratchet/contracts/logs'
import { limitName, type ModelTraits } from '@ratchet/judge-kit/prompt/structured-request'

/** Names of the parameter that limits the length of an answer. */
const limits = new Set(['max_tokens', 'max_completion_tokens'])

/** The body that sends a logged request to another model. It is the same text for the same exchange. */
export function shadowRequest(model: string, entry: LogEntry, traits: ModelTraits): string {
  const { messages, tools, response_format: format, params } = entry
  const usable = Object.entries(params).flatMap(([name, value]) => {
    if (value === null || value === undefined) return []
    if (limits.has(name)) return [[limitName(traits), value] as const]
    return traits.unsupportedParameters.includes(name) ? [] : [[name, value] as const]
  })
  return JSON.stringify({
    ...Object.fromEntries(usable),
    model,
    messages,
    ...(tools === null || tools.length === 0 ? {} : { tools }),
    ...(format === null || format === undefined ? {} : { response_format: format }),
  })
}
