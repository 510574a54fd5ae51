import { editMember, editTopLevel, type JsonEdits } from '@ratchet/service-kit/json/edit-json'
import { isAbsent } from '@ratchet/service-kit/values/json'
import type { Body } from '../../wire/dialect.ts'
import { exactEdits } from '../../wire/json/exact-json.ts'
import type { Leniency } from '../../wire/leniency.ts'
import type { ProviderRequest } from '../../wire/provider.ts'
import { rerankEdits } from '../../wire/rerank/rerank-edits.ts'
import { withSummaryDemand } from '../../wire/responses/summary-demand.ts'
import { toolEdits, withoutCarriers } from './client-run-tools.ts'
import { messageEdits } from './message-edits.ts'
import { statelessInput } from './stateless-input.ts'

const encryptedReasoning = 'reasoning.encrypted_content'

/**
 * The bytes of the request with the provider's name of the model, without the fields that only the gateway reads or
 * that another provider added, and with usage enabled for a chat stream. Nothing else changes, so parameters that the
 * gateway does not know reach the provider as they are.
 *
 * @param members that every body gets, whatever the client sends
 * @throws Refusal for a tool that the provider would run
 */
export function convertRequest(request: ProviderRequest, members: JsonEdits = {}): Buffer {
  const { dialect, model, bytes, scan, stream } = request
  const edits: Record<string, JsonEdits[string]> = {
    ...exactEdits(request, (body) => editsOfDialect(request, body)),
    model: JSON.stringify(model.upstreamModel),
    models: undefined,
    ...members,
  }
  if (stream && dialect === 'chat') {
    edits.stream_options = editMember(bytes, scan, 'stream_options', { include_usage: 'true' })
  }
  return editTopLevel(bytes, scan, edits)
}

function editsOfDialect(request: ProviderRequest, body: Body): JsonEdits {
  const { dialect, model, leniency } = request
  if (dialect === 'rerank') return rerankEdits(body)
  if (dialect === 'transcriptions') return transcriptEdits(body)
  if (dialect === 'responses') {
    const edits = responsesEdits({ model, body: taskBody(request, body) }, leniency)
    return taskEdits(request, body, edits)
  }
  return dialect === 'chat' ? chatEdits(request, body) : {}
}

/** Only this format states how long the sound is. Subtitles and plain text are written from it. */
function transcriptEdits({ response_format: format }: Body): JsonEdits {
  return isAbsent(format) || format === 'json' ? {} : { response_format: '"verbose_json"' }
}

function chatEdits({ model, leniency }: ProviderRequest, body: Body): JsonEdits {
  const { max_tokens: limit, max_completion_tokens: newer } = body
  // OpenAI's reasoning models refuse the older name, and none of its models the newer one.
  const isOlder = model.provider === 'openai' && leniency !== undefined && !isAbsent(limit) && isAbsent(newer)
  return {
    ...messageEdits(body.messages, model),
    ...(isOlder ? { max_tokens: undefined, max_completion_tokens: JSON.stringify(limit) } : {}),
  }
}

/** True when the provider compacts the conversation itself. Others write a summary. */
export function compactsItself({
  dialect,
  model,
  hints,
}: Pick<ProviderRequest, 'dialect' | 'model' | 'hints'>): boolean {
  return dialect === 'responses' && hints?.task === 'compact' && model.provider === 'openai'
}

function taskBody(request: ProviderRequest, body: Body): Body {
  return request.hints?.task === 'compact' && !compactsItself(request) ? withSummaryDemand(body) : body
}

/** A compaction of OpenAI has no such settings. A summary is asked for in the input. */
function taskEdits(request: ProviderRequest, body: Body, edits: JsonEdits): JsonEdits {
  if (compactsItself(request)) return { ...edits, store: undefined, include: undefined, tools: undefined }
  if (request.hints?.task !== 'compact' || edits.input !== undefined) return edits
  return { ...edits, input: JSON.stringify(taskBody(request, body).input) }
}

/**
 * The edits that make a Responses body stateless for the provider. The gateway stores responses and chains, so the
 * provider stores nothing; its hidden reasoning is passed along in the items, encrypted.
 */
function responsesEdits(
  { model, body }: Pick<ProviderRequest, 'model' | 'body'>,
  leniency: Leniency | undefined,
): JsonEdits {
  const sent = withoutCarriers(body, leniency)
  const stateless = statelessInput({ model, body: sent })?.items
  const input = stateless ?? (sent === body ? undefined : sent.input)
  return {
    previous_response_id: undefined,
    store: 'false',
    ...(input === undefined ? {} : { input: JSON.stringify(input) }),
    // Only reasoning models support this. Clients need it to send their items back, whether they are stored here or
    // not.
    ...(model.capabilities.includes('reasoning') ? { include: includeOf(body) } : withoutEncrypted(body)),
    ...toolEdits(body, { model, leniency }),
  }
}

/** Clients that know only reasoning models always ask for it. Other models have none, and refuse that. */
function withoutEncrypted({ include }: Body): JsonEdits {
  if (!Array.isArray(include) || !include.includes(encryptedReasoning)) return {}
  return { include: JSON.stringify(include.filter((each) => each !== encryptedReasoning)) }
}

function includeOf({ include }: Body): string {
  const given = Array.isArray(include) ? include : []
  return JSON.stringify(given.includes(encryptedReasoning) ? given : [...given, encryptedReasoning])
}
