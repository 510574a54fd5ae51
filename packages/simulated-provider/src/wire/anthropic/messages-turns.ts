import { type Fields, isFields, textOf, wrongType, wrongValue } from '../read-fields.ts'
import { WireError } from '../wire-error.ts'
import { checkThought } from './thought-rules.ts'

/**
 * The turns of a conversation as chat messages.
 *
 * @throws WireError 400 for what Anthropic refuses
 */
export function readTurns(turns: readonly unknown[]): Fields[] {
  if (turns.length === 0) throw new WireError(400, 'messages: at least one message is required')
  let awaited: readonly string[] = []
  const messages = turns.flatMap((turn, index) => {
    const path = `messages.${index}`
    if (!isFields(turn)) throw wrongType(path, 'an object', turn)
    const { role } = turn
    if (role !== 'user' && role !== 'assistant' && role !== 'system') {
      throw wrongValue(`${path}.role`, role, ['user', 'assistant', 'system'])
    }
    const blocks = blocksOf(turn.content, `${path}.content`)
    if (role === 'system') return [{ role, content: blocks.map(({ text }) => text ?? '').join('\n') }]
    checkResults({ blocks, role, path, awaited })
    awaited = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id))
    return role === 'user' ? userMessages(blocks, path) : [assistantMessage(blocks)]
  })
  if (awaited.length > 0) throw unanswered(`messages.${turns.length - 1}`, awaited)
  return messages
}

function blocksOf(content: unknown, path: string): Fields[] {
  if (typeof content === 'string') {
    checkText(content, path)
    return [{ type: 'text', text: content }]
  }
  if (!Array.isArray(content)) throw wrongType(path, 'a string or an array of objects', content ?? null)
  return content.map((block, index) => {
    const place = `${path}.${index}`
    if (!isFields(block)) throw wrongType(place, 'an object', block)
    if (!types.some((known) => known === block.type)) throw wrongValue(`${place}.type`, block.type, types)
    if (block.type === 'text') checkText(textOf(block, 'text', `${place}.text`), path)
    if (block.type === 'tool_use') checkCall(block, place)
    if (block.type === 'tool_result') checkId(block.tool_use_id, `${place}.tool_result.tool_use_id`)
    checkThought(block, place)
    if (block.type === 'image') checkImage(block.source, place)
    return block
  })
}

function checkText(text: string, path: string): void {
  if (text === '') throw new WireError(400, `${path}: text content blocks must be non-empty`)
  if (text.trim() === '') throw new WireError(400, `${path}: text content blocks must contain non-whitespace text`)
}

function checkCall({ id, input }: Fields, path: string): void {
  checkId(id, `${path}.tool_use.id`)
  if (!isFields(input)) throw wrongType(`${path}.input`, 'an object', input)
}

function checkId(id: unknown, path: string): void {
  if (typeof id === 'string' && /^[a-zA-Z0-9_-]+$/.test(id)) return
  throw new WireError(400, `${path}: String should match pattern '^[a-zA-Z0-9_-]+$'`)
}

const types = [
  ...['text', 'image', 'document', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking'],
  ...[
    'search_result',
    'container_upload',
    'server_tool_use',
    'mcp_tool_use',
    'mcp_tool_listing',
    'fallback',
    'compaction',
  ],
  ...['mcp', 'advisor', 'web_search', 'web_fetch', 'tool_search', 'code_execution'].map((of) => `${of}_tool_result`),
  ...['bash', 'text_editor'].map((of) => `${of}_code_execution_tool_result`),
  ...['tool_addition', 'tool_removal'],
]

const mediaTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const

function checkImage(source: unknown, path: string): void {
  if (!isFields(source)) throw wrongType(`${path}.source`, 'an object', source)
  if (source.type === 'url') {
    textOf(source, 'url', `${path}.source.url`)
    return
  }
  if (source.type !== 'base64') throw wrongValue(`${path}.source.type`, source.type, ['base64', 'url'])
  const type = textOf(source, 'media_type', `${path}.source.media_type`)
  if (!mediaTypes.some((known) => known === type)) throw wrongValue(`${path}.source.media_type`, type, mediaTypes)
  textOf(source, 'data', `${path}.source.data`)
}

/** Every call of a turn must be answered in the next one, and no other. */
function checkResults(turn: {
  blocks: readonly Fields[]
  role: string
  path: string
  awaited: readonly string[]
}): void {
  const { blocks, path, awaited } = turn
  const answered = blocks.filter(({ type }) => type === 'tool_result').map((block) => String(block.tool_use_id))
  const missing = awaited.filter((id) => !answered.includes(id))
  if (missing.length > 0) throw unanswered(path, missing)
  const stray = answered.find((id) => !awaited.includes(id))
  if (stray === undefined) return
  throw new WireError(400, `${path}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`)
}

function unanswered(path: string, ids: readonly string[]): WireError {
  const message = `${path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}`
  return new WireError(400, message)
}

function userMessages(blocks: readonly Fields[], path: string): Fields[] {
  const results = blocks.filter(({ type }) => type === 'tool_result')
  const parts = blocks.filter(({ type }) => type !== 'tool_result').map(partOf)
  const tools = results.map((block) => ({
    role: 'tool',
    tool_call_id: block.tool_use_id,
    content: resultText(block.content, path),
  }))
  return parts.length === 0 ? tools : [...tools, { role: 'user', content: parts }]
}

function partOf(block: Fields): Fields {
  if (block.type === 'image') return { type: 'image_url', image_url: { url: 'image' } }
  return block.type === 'text' ? { type: 'text', text: block.text } : { type: 'file' }
}

function resultText(content: unknown, path: string): string {
  if (content === undefined) return ''
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw wrongType(`${path}.content`, 'a string or an array of objects', content)
  return content.map((part) => (isFields(part) && typeof part.text === 'string' ? part.text : '')).join('\n')
}

function assistantMessage(blocks: readonly Fields[]): Fields {
  const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => text)
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }))
  return { role: 'assistant', content: texts.join(''), ...(calls.length === 0 ? {} : { tool_calls: calls }) }
}
