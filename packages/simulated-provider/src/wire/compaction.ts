import { withinLimits } from './model-limits.ts'
import { type Call, createdAt, type Reply } from './reply.ts'
import { readResponsesRequest } from './responses-request.ts'
import { responseUsage, usageOf } from './usage.ts'
import { WireError } from './wire-error.ts'

const members = new Set([
  'model',
  'input',
  'instructions',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
])
/** Tokens of a conversation that is compacted. */
const compactedTokens = 24

/** POST /v1/responses/compact. The item is as opaque as that of OpenAI. */
export function answerCompaction(call: Call): Reply {
  const unknown = Object.keys(call.body).find((name) => !members.has(name))
  if (unknown !== undefined) {
    throw new WireError(400, `Unknown parameter: '${unknown}'.`, { param: unknown, code: 'unknown_parameter' })
  }
  const request = withinLimits(readResponsesRequest(call.body, call.model.id), call.model)
  const usage = usageOf(request.promptTokens, compactedTokens, null)
  const suffix = call.name.slice(0, 32)
  const body = JSON.stringify({
    id: `resp_${suffix}`,
    object: 'response.compaction',
    created_at: createdAt(call.name),
    output: [{ id: `cmp_${suffix}`, type: 'compaction', encrypted_content: Buffer.from(suffix).toString('base64') }],
    usage: responseUsage(usage),
  })
  return { kind: 'json', status: 200, body, tokens: 0, usage }
}
