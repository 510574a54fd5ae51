import type { LogEntry } from '@ratchet/contracts/logs'
import { limitName, type ModelTraits } from '@ratchet/judge-kit/prompt/structured-request'

/** What says how long an answer may be; models call it differently. */
const limits = new Set(['max_tokens', 'max_completion_tokens'])

/** The chat completion that asks a mirror what a logged exchange asked, as JSON: the same for the same exchange. */
export function shadowRequest(model: string, entry: LogEntry, traits: ModelTraits): string {
  const { messages, tools, response_format: format, params } = entry
  const kept = Object.entries(params).flatMap(([name, value]) => {
    if (value === null || value === undefined) return []
    if (limits.has(name)) return [[limitName(traits), value] as const]
    return traits.unsupportedParameters.includes(name) ? [] : [[name, value] as const]
  })
  return JSON.stringify({
    ...Object.fromEntries(kept),
    model,
    messages,
    ...(tools === null || tools.length === 0 ? {} : { tools }),
    ...(format === null || format === undefined ? {} : { response_format: format }),
  })
}
