import { type Fields, isFields, textOf, wrongType, wrongValue } from '../read-fields.ts'
import { WireError } from '../wire-error.ts'

export interface Turns {
  messages: Fields[]
  /** True when a tool was called in them. */
  usesTools: boolean
}

interface Block {
  kind: (typeof kinds)[number]
  value: unknown
}

const kinds = ['text', 'image', 'document', 'toolUse', 'toolResult', 'reasoningContent', 'cachePoint'] as const

/**
 * The turns of a conversation as chat messages.
 *
 * @throws WireError 400 for what Bedrock refuses
 */
export function readTurns(turns: readonly unknown[]): Turns {
  let awaited: readonly string[] = []
  let usesTools = false
  const messages = turns.flatMap((turn, index) => {
    const path = `messages.${index}`
    if (!isFields(turn)) throw wrongType(path, 'an object', turn)
    const expected = index % 2 === 0 ? 'user' : 'assistant'
    if (turn.role !== 'user' && turn.role !== 'assistant') {
      throw wrongValue(`${path}.role`, turn.role, ['user', 'assistant'])
    }
    if (turn.role !== expected) {
      throw new WireError(400, 'A conversation must start with a user message and alternate between the roles.')
    }
    const blocks = readBlocks(turn.content, `${path}.content`)
    checkResults(blocks, awaited, path)
    awaited = idsIn(blocks, 'toolUse')
    usesTools ||= awaited.length > 0
    return turn.role === 'user' ? userMessages(blocks) : [assistantMessage(blocks)]
  })
  if (awaited.length > 0) throw new WireError(400, `toolUse blocks without toolResult blocks: ${awaited.join(', ')}`)
  return { messages, usesTools }
}

function readBlocks(content: unknown, path: string): Block[] {
  if (!Array.isArray(content)) throw wrongType(path, 'an array of objects', content)
  if (content.length === 0) throw new WireError(400, `The content field in the Message object at ${path} is empty.`)
  return content.map((block, index) => readBlock(block, `${path}.${index}`))
}

function readBlock(block: unknown, path: string): Block {
  if (!isFields(block)) throw wrongType(path, 'an object', block)
  const [kind, ...others] = kinds.filter((name) => block[name] !== undefined)
  if (kind === undefined || others.length > 0 || Object.keys(block).length !== 1) {
    throw new WireError(400, `ContentBlock object at ${path} must set one of the following keys: ${kinds.join(', ')}.`)
  }
  const value = block[kind]
  if (kind === 'text' && textOf(block, 'text', path).trim() === '') {
    throw new WireError(400, `The text field in the ContentBlock object at ${path} is blank.`)
  }
  if (kind === 'image' || kind === 'document') checkMedia(value, kind, path)
  if (kind === 'toolUse' || kind === 'toolResult') checkTool(isFields(value) ? value : {}, `${path}.${kind}`)
  if (kind === 'toolUse' && !isFields(isFields(value) ? value.input : null)) {
    throw wrongType(`${path}.toolUse.input`, 'an object', null)
  }
  return { kind, value }
}

function checkTool({ toolUseId, name, content }: Fields, path: string): void {
  checkName(toolUseId, `${path}.toolUseId`)
  if (path.endsWith('toolUse')) checkName(name, `${path}.name`)
  const texts = Array.isArray(content) ? content.filter(isFields).map(({ text }) => text ?? 'none') : []
  if (texts.some((text) => String(text).trim() === '')) {
    throw new WireError(400, `The text field in the ContentBlock object at ${path}.content is blank.`)
  }
}

/**
 * Checks ids of calls and names of tools.
 *
 * @throws WireError 400 for one that Bedrock refuses
 */
export function checkName(value: unknown, path: string): void {
  const text = String(value)
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(text)) return
  const demand = text.length > 64 ? 'have length less than or equal to 64' : 'satisfy pattern: [a-zA-Z0-9_-]+'
  const message = `1 validation error detected: Value '${text}' at '${path}' failed to satisfy constraint: Member must `
  throw new WireError(400, message + demand)
}

const formats = {
  image: ['png', 'jpeg', 'gif', 'webp'],
  document: ['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md'],
} as const

function checkMedia(value: unknown, kind: keyof typeof formats, path: string): void {
  const media = isFields(value) ? value : {}
  const format = textOf(media, 'format', `${path}.${kind}.format`)
  if (!formats[kind].some((known) => known === format)) throw wrongValue(`${path}.${kind}`, format, formats[kind])
  textOf(isFields(media.source) ? media.source : {}, 'bytes', `${path}.${kind}.source.bytes`)
  if (kind === 'document' && !/^[A-Za-z0-9 ()[\]-]+$/.test(textOf(media, 'name', `${path}.document.name`))) {
    throw new WireError(400, `The name field of the document at ${path} has characters that are not allowed.`)
  }
}

/** Every call of a turn must be answered in the next one, and no other. */
function checkResults(blocks: readonly Block[], awaited: readonly string[], path: string): void {
  const answered = idsIn(blocks, 'toolResult')
  if (awaited.length === answered.length && awaited.every((id) => answered.includes(id))) return
  const message = `Expected toolResult blocks at ${path}.content for the following Ids: ${awaited.join(', ')}`
  throw new WireError(400, message)
}

function idsIn(blocks: readonly Block[], requested: 'toolUse' | 'toolResult'): string[] {
  return blocks.flatMap(({ kind, value }) => (kind === requested && isFields(value) ? [String(value.toolUseId)] : []))
}

function userMessages(blocks: readonly Block[]): Fields[] {
  const tools = blocks.flatMap(({ kind, value }) => {
    if (kind !== 'toolResult' || !isFields(value)) return []
    return [{ role: 'tool', tool_call_id: value.toolUseId, content: resultText(value.content) }]
  })
  const parts = blocks.flatMap(partOf)
  return parts.length === 0 ? tools : [...tools, { role: 'user', content: parts }]
}

function partOf({ kind, value }: Block): Fields[] {
  if (kind === 'text') return [{ type: 'text', text: value }]
  if (kind === 'image') return [{ type: 'image_url', image_url: { url: 'image' } }]
  return kind === 'document' ? [{ type: 'file' }] : []
}

function resultText(content: unknown): string {
  if (!Array.isArray(content)) throw wrongType('toolResult.content', 'an array of objects', content)
  return content.map((part) => (isFields(part) && typeof part.text === 'string' ? part.text : '')).join('\n')
}

function assistantMessage(blocks: readonly Block[]): Fields {
  const texts = blocks.flatMap(({ kind, value }) => (kind === 'text' ? [value] : []))
  const calls = blocks.flatMap(({ kind, value }) => {
    if (kind !== 'toolUse' || !isFields(value)) return []
    const { toolUseId: id, name, input } = value
    return [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }]
  })
  return { role: 'assistant', content: texts.join(''), ...(calls.length === 0 ? {} : { tool_calls: calls }) }
}
