import { countTokens } from '../answers/tokenize.ts'
import { type Fields, isFields, missing, textOf, wrongType, wrongValue } from './read-fields.ts'

/** One message of a conversation, with its text parts joined. */
export interface ChatMessage {
  role: string
  text: string
  images: number
  /** Tokens of the whole message without its frame. */
  tokens: number
}

/** The tokens of one image, as OpenAI counts a low-detail one. */
const tokensPerImage = 85

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'] as const
const partTypes = ['text', 'image_url', 'input_audio', 'refusal', 'file'] as const

/** Checks the message at `index`. @throws WireError 400 naming the place */
export function readMessage(value: unknown, index: number): ChatMessage {
  const path = `messages[${index}]`
  if (!isFields(value)) throw wrongType(path, 'an object', value)
  const role = textOf(value, 'role', `${path}.role`)
  if (!roles.some((known) => known === role)) throw wrongValue(`${path}.role`, role, roles)
  if (role === 'tool') textOf(value, 'tool_call_id', `${path}.tool_call_id`)
  const content = readContent(value, role, path)
  const calls = value.tool_calls ?? null
  const callTokens = calls === null ? 0 : countTokens(JSON.stringify(calls))
  return { role, ...content, tokens: countTokens(content.text) + content.images * tokensPerImage + callTokens }
}

function readContent(message: Fields, role: string, path: string): { text: string; images: number } {
  const content = message.content ?? null
  if (typeof content === 'string') return { text: content, images: 0 }
  if (content === null) {
    if (role === 'assistant' || role === 'function') return { text: '', images: 0 }
    throw missing(`${path}.content`)
  }
  if (!Array.isArray(content)) throw wrongType(`${path}.content`, 'a string or an array of objects', content)
  return readParts(content, `${path}.content`)
}

function readParts(parts: readonly unknown[], path: string): { text: string; images: number } {
  const texts: string[] = []
  let images = 0
  for (const [index, part] of parts.entries()) {
    const place = `${path}[${index}]`
    if (!isFields(part)) throw wrongType(place, 'an object', part)
    const type = textOf(part, 'type', `${place}.type`)
    if (!partTypes.some((known) => known === type)) throw wrongValue(`${place}.type`, type, partTypes)
    if (type === 'text') texts.push(textOf(part, 'text', `${place}.text`))
    if (type === 'image_url') images += checkedImage(part, place)
  }
  return { text: texts.join('\n'), images }
}

function checkedImage(part: Fields, place: string): 1 {
  const image = part.image_url
  if (!isFields(image)) throw wrongType(`${place}.image_url`, 'an object', image ?? null)
  textOf(image, 'url', `${place}.image_url.url`)
  return 1
}
