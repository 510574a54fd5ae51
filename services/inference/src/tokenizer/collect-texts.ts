import { type Fields, isObject } from '@ratchet/service-kit/values/json'
/**
 * The parts of a request's body that become tokens, in any dialect: the texts of messages and input, instructions,
 * tools and schemas, queries and documents. Images, sounds and files are left out. So are ids, roles and links, which
 * have no tokens or a fixed few that `allowances` covers. `countTokenIds` counts token ids. Takes linear time.
 */
export function collectTexts(body: Fields): readonly string[] {
  const texts: string[] = []
  for (const key of contentKeys) addContent(texts, body[key])
  for (const key of schemaKeys) addJson(texts, body[key])
  for (const document of listOf(body.documents)) addDocument(texts, document, body.rank_fields)
  return texts
}

/** Number of token ids in the input of an embedding request. */
export function countTokenIds({ input }: Fields): number {
  return countIds(input)
}

const contentKeys = ['system', 'instructions', 'messages', 'input', 'prompt', 'query']
/** Models read these as JSON, or in a form of about the same length. */
const schemaKeys = ['tools', 'functions', 'response_format', 'text', 'output_config']

/** Members of messages, items and content parts that a model does not read as text. */
const silentKeys = new Set([
  ...['type', 'role', 'id', 'tool_call_id', 'tool_use_id', 'call_id', 'item_id', 'status', 'phase'],
  ...['detail', 'format', 'media_type', 'mime_type', 'cache_control', 'signature', 'encrypted_content'],
  ...['url', 'image_url', 'video_url', 'file_url', 'file_id', 'file_data', 'input_audio', 'audio', 'b64_json'],
])
/** Members with the arguments of a tool. Their keys are read too, and may be any name. */
const jsonKeys = new Set(['input', 'arguments'])

function addContent(texts: string[], value: unknown): void {
  if (typeof value === 'string') addText(texts, value)
  else if (Array.isArray(value)) {
    for (const item of value) addContent(texts, item)
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) addMember(texts, { key, member, type: value.type })
  }
}

interface Member {
  readonly key: string
  readonly member: unknown
  /** The `type` of the object that contains it. */
  readonly type: unknown
}

function addMember(texts: string[], { key, member, type }: Member): void {
  if (silentKeys.has(key)) return
  if (key === 'data' && type !== 'text') return // base64, except for a document that is given as plain text
  if (jsonKeys.has(key) && isObject(member)) addJson(texts, member)
  else addContent(texts, member)
}

function addDocument(texts: string[], document: unknown, rankFields: unknown): void {
  if (typeof document === 'string') addText(texts, document)
  if (!isObject(document)) return
  const fields = Array.isArray(rankFields) ? rankFields : ['text']
  for (const field of fields) {
    const value = typeof field === 'string' && Object.hasOwn(document, field) ? document[field] : undefined
    if (typeof value === 'string') addText(texts, value)
    else addJson(texts, value)
  }
}

function addJson(texts: string[], value: unknown): void {
  if (value !== undefined && value !== null) addText(texts, JSON.stringify(value))
}

function addText(texts: string[], text: string): void {
  if (text !== '') texts.push(text)
}

function countIds(input: unknown): number {
  return listOf(input).reduce<number>((sum, item) => sum + (typeof item === 'number' ? 1 : countIds(item)), 0)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
