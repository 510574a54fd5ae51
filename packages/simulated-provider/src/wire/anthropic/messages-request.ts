import type { SimulatedModel } from '../../simulated-model.ts'
import { type ChatRequest, readChatRequest } from '../chat-request.ts'
import {
  decimalIn,
  type Fields,
  integerIn,
  isFields,
  itemsOf,
  missing,
  textOf,
  wrongType,
  wrongValue,
} from '../read-fields.ts'
import { WireError } from '../wire-error.ts'
import { readTurns } from './messages-turns.ts'
import { checkTurnUnderWay } from './thought-rules.ts'

/** The allowed members of a body; any other is refused, as Anthropic does. */
const members = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'stream',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'metadata',
  'service_tier',
  'speed',
  'cache_control',
  'context_management',
  'diagnostics',
  'inference_geo',
  'output_format',
  'user_profile_id',
  'workspace_id',
])
/** Members whose service is not simulated; clients send them as null. */
const absentMembers = new Set([
  'billing_policy',
  'compaction',
  'container',
  'fallback_credit_token',
  'fallbacks',
  'thread',
])

/**
 * Checks a Messages body and converts it to a chat request.
 *
 * @throws WireError 400
 */
export function readMessagesRequest(
  body: Fields,
  { thinksByEffort }: Pick<SimulatedModel, 'thinksByEffort'>,
): ChatRequest {
  const isKnown = (name: string) => members.has(name) || (absentMembers.has(name) && body[name] === null)
  const unknownField = Object.keys(body).find((name) => !isKnown(name))
  if (unknownField !== undefined) throw new WireError(400, `${unknownField}: Extra inputs are not permitted`)
  const maxTokens = integerIn(body, 'max_tokens', 0, 10_000_000)
  if (maxTokens === null) throw missing('max_tokens')
  decimalIn(body, 'temperature', 0, 1)
  integerIn(body, 'top_k', 0, 1_000_000)
  checkThinking(body, { maxTokens, thinksByEffort })
  const turns = itemsOf(body, 'messages')
  const messages = [...readSystem(body.system), ...readTurns(turns)]
  if (thinksAloud(body)) checkTurnUnderWay(turns)
  const choice = isFields(body.tool_choice) ? body.tool_choice : null
  return readChatRequest({
    messages,
    stream: body.stream,
    top_p: body.top_p,
    max_completion_tokens: Math.max(maxTokens, 1),
    stop: body.stop_sequences,
    response_format: readFormat(body.output_config ?? olderConfig(body)),
    tools: readTools(body.tools),
    tool_choice: choice === null ? null : readChoice(choice),
    parallel_tool_calls: choice?.disable_parallel_tool_use === false,
  })
}

function readSystem(system: unknown): Fields[] {
  if (system === undefined) return []
  if (typeof system === 'string') return [{ role: 'system', content: system }]
  if (!Array.isArray(system)) throw wrongType('system', 'a string or an array of objects', system)
  const texts = system.map((block, index) => textOf(isFields(block) ? block : {}, 'text', `system.${index}.text`))
  if (texts.some((text) => text.trim() === ''))
    throw new WireError(400, 'system: text content blocks must contain non-whitespace text')
  return [{ role: 'system', content: texts.join('\n') }]
}

/** True when a thinking budget is given. */
export function thinksAloud({ thinking }: Fields): boolean {
  return isFields(thinking) && thinking.type === 'enabled'
}

function checkThinking(
  { thinking }: Fields,
  { maxTokens, thinksByEffort }: { maxTokens: number; thinksByEffort: boolean },
): void {
  if (thinking === undefined) return
  if (!isFields(thinking)) throw wrongType('thinking', 'an object', thinking)
  const { type } = thinking
  if (type === 'adaptive' && !thinksByEffort)
    throw new WireError(400, 'adaptive thinking is not supported on this model')
  if (type === 'adaptive' || type === 'disabled' || type === 'between_tools') return
  if (type !== 'enabled') throw wrongValue('thinking.type', type, ['adaptive', 'between_tools', 'disabled', 'enabled'])
  const budget = integerIn(thinking, 'budget_tokens', 1024, 10_000_000)
  if (budget === null) throw missing('thinking.enabled.budget_tokens')
  if (budget >= maxTokens) throw new WireError(400, '`max_tokens` must be greater than `thinking.budget_tokens`.')
}

/** Before `output_config`, the format was a member of the body. */
function olderConfig({ output_format: format }: Fields): Fields | undefined {
  return format === undefined ? undefined : { format }
}

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const

function readFormat(config: unknown): Fields | null {
  if (config === undefined) return null
  if (!isFields(config)) throw wrongType('output_config', 'an object', config)
  const effort = config.effort ?? null
  if (effort !== null && !efforts.some((known) => known === effort)) {
    throw wrongValue('output_config.effort', effort, efforts)
  }
  const format = config.format ?? null
  if (format === null) return null
  if (!isFields(format) || format.type !== 'json_schema' || !isFields(format.schema)) {
    throw new WireError(400, 'output_config.format: Input should be a json_schema with a schema')
  }
  return { type: 'json_schema', json_schema: { name: 'format', schema: format.schema } }
}

function readTools(tools: unknown): unknown {
  if (!Array.isArray(tools)) return tools
  return tools.map((tool, index) => {
    if (!isFields(tool)) throw wrongType(`tools.${index}`, 'an object', tool)
    if ((tool.type ?? 'custom') !== 'custom') return { type: String(tool.type) }
    if (!isFields(tool.input_schema) || tool.input_schema.type !== 'object') {
      throw new WireError(400, `tools.${index}.custom.input_schema.type: Field required`)
    }
    const { name, description, input_schema: parameters } = tool
    return { type: 'function', function: { name, description, parameters } }
  })
}

function readChoice(choice: Fields): unknown {
  if (choice.type === 'tool') return { type: 'function', function: { name: choice.name } }
  if (choice.type === 'any') return 'required'
  if (choice.type === 'auto' || choice.type === 'none') return choice.type
  throw wrongValue('tool_choice.type', choice.type, ['auto', 'any', 'tool', 'none'])
}
