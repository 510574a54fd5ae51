import type { Call } from '../reply.ts'
import type { TokenCounts } from '../token-counts.ts'

/** A prompt with a cache breakpoint is written to the cache, except for its cached part. */
export function messageUsage({ prompt, completion, cached, reasoning }: TokenCounts, body: Call['body']) {
  const written = JSON.stringify(body).includes('"cache_control":{') ? prompt - cached : 0
  return {
    input_tokens: prompt - cached - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
    output_tokens: completion,
    output_tokens_details: { thinking_tokens: reasoning },
    service_tier: 'standard',
  }
}

export type MessageUsage = ReturnType<typeof messageUsage>
