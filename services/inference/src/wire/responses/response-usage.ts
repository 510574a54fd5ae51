import { asList, asObject, type Fields } from '@ratchet/service-kit/values/json'
import { readUsage } from '../chat/read-usage.ts'
import { type Usage, withTier } from '../usage.ts'

/**
 * Reads the usage of a response object with the same checks as that of a chat completion, and the calls of tools that the
 * provider ran from its output. Null when it has no usage.
 */
export function readResponseUsage({ usage: value, output, service_tier: tier }: Fields): Usage | null {
  const counted = readTokens(value)
  return counted === null ? null : withTier({ ...counted, ...hostedCalls(output) }, tier)
}

/** Only a search costs: opening one of its pages, and finding a text there, does not. */
function hostedCalls(output: unknown): Pick<Usage, 'webSearches' | 'containers'> {
  const items = asList(output).map((item) => asObject(item) ?? {})
  const searches = items.filter(isSearch)
  const runs = items.filter(({ type }) => type === 'code_interpreter_call')
  const containers = new Set(runs.map(({ container_id: id }) => id)).size
  return {
    ...(searches.length === 0 ? {} : { webSearches: searches.length }),
    ...(containers === 0 ? {} : { containers }),
  }
}

/** True for an output item of a search that costs its price: it has ended, and did not fail. */
export function isSearch({ type, status, action }: Fields): boolean {
  return type === 'web_search_call' && status === 'completed' && !freeActions.has(asObject(action)?.type)
}

const freeActions: ReadonlySet<unknown> = new Set(['open_page', 'find', 'find_in_page'])

function readTokens(value: unknown): Usage | null {
  const usage = asObject(value)
  if (usage === null) return null
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details, total_tokens } = usage
  return readUsage({
    prompt_tokens: input_tokens,
    prompt_tokens_details: input_tokens_details,
    completion_tokens: output_tokens,
    completion_tokens_details: output_tokens_details,
    // Here reasoning is always part of the output tokens, so a sum that fits its addition would be a coincidence.
    total_tokens: isAnyCount(output_tokens) ? undefined : total_tokens,
  })
}

/** Usage in the fields of a response. */
export function wireResponseUsage({ promptTokens, completionTokens, ...parts }: Usage) {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: parts.cachedPromptTokens, cache_write_tokens: parts.cacheWriteTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: parts.reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  }
}

function isAnyCount(value: unknown): boolean {
  return value !== undefined && value !== null
}
