import { type Fields, isFields, textOf, wrongType, wrongValue } from '../read-fields.ts'
import { WireError } from '../wire-error.ts'
import { checkKnown } from './known-members.ts'

const contentMembers = new Set(['role', 'parts'])
const partMembers = new Set([
  ...['text', 'thought', 'thoughtSignature', 'inlineData', 'fileData', 'functionCall', 'functionResponse'],
])

/** The text of a `systemInstruction`. @throws WireError 400 */
export function readInstruction(value: unknown): string {
  return partsOf(value, 'system_instruction')
    .map((part) => textOf(part, 'text'))
    .join('\n')
}

/**
 * The contents of a conversation as chat messages.
 *
 * @throws WireError 400 for what Google refuses
 */
export function readContents(contents: readonly unknown[]): Fields[] {
  let awaited = 0
  return contents.flatMap((content, index) => {
    const path = `contents[${index}]`
    const parts = partsOf(content, path)
    const role = isFields(content) ? (content.role ?? 'user') : 'user'
    if (role !== 'user' && role !== 'model') throw wrongValue(`${path}.role`, role, ['user', 'model'])
    const answered = parts.filter(({ functionResponse }) => functionResponse !== undefined).length
    if (answered !== awaited) {
      const message =
        'Please ensure that the number of function response parts is equal to the number of function call parts of ' +
        'the function call turn.'
      throw new WireError(400, message)
    }
    awaited = parts.filter(({ functionCall }) => functionCall !== undefined).length
    return role === 'model' ? [modelMessage(parts)] : userMessages(parts)
  })
}

function partsOf(content: unknown, path: string): Fields[] {
  if (!isFields(content)) throw wrongType(path, 'an object', content ?? null)
  checkKnown(content, path, contentMembers)
  const { parts } = content
  if (!Array.isArray(parts) || parts.length === 0) {
    throw new WireError(400, `* GenerateContentRequest.${path}.parts: contents.parts must not be empty.\n`)
  }
  return parts.map((part, index) => {
    const place = `${path}.parts[${index}]`
    if (!isFields(part)) throw wrongType(place, 'an object', part)
    checkKnown(part, place, partMembers)
    return part
  })
}

function modelMessage(parts: readonly Fields[]): Fields {
  const calls = parts.map(({ functionCall }) => functionCall).filter(isFields)
  return {
    role: 'assistant',
    content: parts.map(({ text }) => (typeof text === 'string' ? text : '')).join(''),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toolCall) }),
  }
}

function toolCall({ id, name, args }: Fields): Fields {
  return { id: id ?? name, type: 'function', function: { name, arguments: JSON.stringify(args ?? {}) } }
}

function userMessages(parts: readonly Fields[]): Fields[] {
  const results = parts.map(({ functionResponse }) => functionResponse).filter(isFields)
  const others = parts.filter(({ functionResponse }) => functionResponse === undefined)
  const tools = results.map(({ id, name, response }) => ({
    role: 'tool',
    tool_call_id: id ?? name,
    content: outputOf(response),
  }))
  return others.length === 0 ? tools : [...tools, { role: 'user', content: others.map(chatPart) }]
}

/** Google reads a result from `output` first. */
function outputOf(response: unknown): string {
  const output = isFields(response) ? (response.output ?? response) : response
  return typeof output === 'string' ? output : JSON.stringify(output ?? null)
}

function chatPart({ text, inlineData, fileData }: Fields): Fields {
  if (text !== undefined) return { type: 'text', text }
  const media = isFields(inlineData) ? inlineData : isFields(fileData) ? fileData : {}
  const isImage = String(media.mimeType ?? 'image/').startsWith('image/')
  return isImage ? { type: 'image_url', image_url: { url: media.fileUri ?? 'data:' } } : { type: 'file' }
}
