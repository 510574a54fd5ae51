import type { Call } from '../reply.ts'
import type { TokenCounts } from '../token-counts.ts'
import { searchesOf } from './content-block.ts'

/** A prompt with a cache breakpoint is written to the cache, except for its cached part: into one of an hour if any is. */
export function messageUsage({ prompt, completion, cached, reasoning }: TokenCounts, body: Call['body']) {
  const text = JSON.stringify(body)
  const written = text.includes('"cache_control":{') ? prompt - cached : 0
  const searches = searchesOf(body)
  const isLong = text.includes('"ttl":"1h"')
  return {
    input_tokens: prompt - cached - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    cache_creation: {
      ephemeral_5m_input_tokens: isLong ? 0 : written,
      ephemeral_1h_input_tokens: isLong ? written : 0,
    },
    output_tokens: completion,
    output_tokens_details: { thinking_tokens: reasoning },
    service_tier: 'standard',
    server_tool_use: searches === 0 ? null : { web_search_requests: searches, web_fetch_requests: 0 },
    inference_geo: 'global',
    speed: body.speed === 'fast' ? 'fast' : 'standard',
  }
}

/** The usage in the first event of a stream: the first reading of the prompt, and no search yet. */
export function openingUsage(counts: TokenCounts, body: Call['body']) {
  const prompt = counts.prompt / (1 + searchesOf(body))
  const first = { ...counts, prompt, cached: Math.min(counts.cached, prompt) }
  const { server_tool_use: _later, ...usage } = messageUsage(first, body)
  return { ...usage, output_tokens: Math.min(usage.output_tokens, 1) }
}

export type MessageUsage = ReturnType<typeof messageUsage>
