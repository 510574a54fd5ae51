import { asText, type Fields } from '@ratchet/service-kit/values/json'
import { geminiFields, invalidAt, listAt, objectAt, textAt, unsupportedAt } from './gemini-fields.ts'

const partMembers = [
  ...(['text', 'thought', 'thoughtSignature', 'inlineData', 'fileData', 'functionCall', 'functionResponse'] as const),
] as const

/** The ids of calls, which Gemini's clients may leave out: a response then answers the oldest open call of its function. */
interface Calls {
  /** In the order of the calls, by function: a set forgets an answered one in the same time however many are open. */
  readonly open: Map<string, Set<string>>
  count: number
}

/**
 * The contents of a request as messages of a chat.
 *
 * @throws ServiceError naming the part that a chat does not have
 */
export function chatMessages(system: unknown, contents: unknown): readonly Fields[] {
  const calls: Calls = { open: new Map(), count: 0 }
  const list = listAt(contents, 'contents')
  if (list.length === 0) throw invalidAt('contents', 'must be a non-empty array')
  return [
    ...systemMessages(system),
    ...list.flatMap((content, index) => messagesOf(content, `contents.${index}`, calls)),
  ]
}

function systemMessages(system: unknown): readonly Fields[] {
  if (system === undefined || system === null) return []
  const text =
    typeof system === 'string'
      ? system
      : listAt(geminiFields(system, 'systemInstruction', ['role', 'parts']).parts, 'systemInstruction.parts')
          .map((part, index) => {
            const path = `systemInstruction.parts.${index}`
            return textAt(geminiFields(part, path, ['text']).text, `${path}.text`)
          })
          .join('\n')
  return text === '' ? [] : [{ role: 'system', content: text }]
}

function messagesOf(value: unknown, path: string, calls: Calls): readonly Fields[] {
  const { role = 'user', parts } = geminiFields(value, path, ['role', 'parts'])
  const given = listAt(parts, `${path}.parts`).map((part, index) => ({
    part: geminiFields(part, `${path}.parts.${index}`, partMembers),
    at: `${path}.parts.${index}`,
  }))
  if (role === 'model') return [spoken(given, calls)]
  if (role !== 'user' && role !== 'function') throw invalidAt(`${path}.role`, 'must be "user" or "model"')
  const results = given.filter(({ part }) => part.functionResponse !== undefined)
  const others = given.filter(({ part }) => part.functionResponse === undefined)
  return [
    ...results.map(({ part, at }) => resultOf(part.functionResponse, `${at}.functionResponse`, calls)),
    ...(others.length === 0 ? [] : [{ role: 'user', content: contentOf(others) }]),
  ]
}

interface Given {
  readonly part: Readonly<Partial<Record<(typeof partMembers)[number], unknown>>>
  readonly at: string
}

function contentOf(given: readonly Given[]): unknown {
  const [first] = given
  if (given.length === 1 && first !== undefined && typeof first.part.text === 'string') return first.part.text
  return given.map(({ part, at }) => shown(part, at))
}

function shown({ text, inlineData, fileData }: Given['part'], at: string): object {
  if (typeof text === 'string') return { type: 'text', text }
  if (inlineData !== undefined) {
    const { mimeType, data } = geminiFields(inlineData, `${at}.inlineData`, ['mimeType', 'data', 'displayName'])
    return media(textAt(mimeType, `${at}.inlineData.mimeType`), textAt(data, `${at}.inlineData.data`))
  }
  if (fileData === undefined) throw unsupportedAt(at)
  const { mimeType, fileUri } = geminiFields(fileData, `${at}.fileData`, ['mimeType', 'fileUri', 'displayName'])
  const uri = textAt(fileUri, `${at}.fileData.fileUri`)
  if (!uri.startsWith('https://') || uri.includes('generativelanguage.googleapis.com')) {
    throw unsupportedAt(`${at}.fileData.fileUri`, 'send the content of the file, or an address that anyone can read')
  }
  const isImage = asText(mimeType)?.startsWith('image/') ?? true
  return isImage ? { type: 'image_url', image_url: { url: uri } } : { type: 'file', file: { file_data: uri } }
}

function media(mimeType: string, data: string): object {
  const [kind, subtype = ''] = mimeType.split('/')
  if (kind === 'image') return { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } }
  if (kind === 'audio') return { type: 'input_audio', input_audio: { data, format: soundFormat(subtype) } }
  const filename = `file.${subtype.replace(/[^a-z0-9]/gi, '')}`
  return { type: 'file', file: { filename, file_data: `data:${mimeType};base64,${data}` } }
}

function soundFormat(subtype: string): string {
  const names: Readonly<Record<string, string>> = { mpeg: 'mp3', 'x-wav': 'wav', wave: 'wav' }
  return names[subtype] ?? subtype
}

/** Thoughts are left out: what models need of them is in the signatures of calls. */
function spoken(given: readonly Given[], calls: Calls): Fields {
  const texts = given.flatMap(({ part, at }) => {
    if (part.functionCall !== undefined || part.thought === true) return []
    return [textAt(part.text ?? (part.thoughtSignature === undefined ? undefined : ''), `${at}.text`)]
  })
  const called = given.filter(({ part }) => part.functionCall !== undefined)
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join(''),
    ...(called.length === 0 ? {} : { tool_calls: called.map(({ part, at }) => callOf(part, at, calls)) }),
  }
}

function callOf({ functionCall, thoughtSignature }: Given['part'], at: string, calls: Calls): object {
  const { id, name, args } = geminiFields(functionCall, `${at}.functionCall`, ['id', 'name', 'args'])
  const named = textAt(name, `${at}.functionCall.name`)
  const known = asText(id) ?? `call_${calls.count}`
  calls.count += 1
  calls.open.set(named, (calls.open.get(named) ?? new Set()).add(known))
  const signature = asText(thoughtSignature)
  return {
    id: known,
    type: 'function',
    function: { name: named, arguments: JSON.stringify(args ?? {}) },
    ...(signature === null ? {} : { extra_content: { google: { thought_signature: signature } } }),
  }
}

function resultOf(value: unknown, at: string, calls: Calls): Fields {
  const { id, name, response } = geminiFields(value, at, ['id', 'name', 'response', 'willContinue', 'scheduling'])
  const named = textAt(name, `${at}.name`)
  const open = calls.open.get(named)
  const tool_call_id = asText(id) ?? open?.values().next().value
  if (tool_call_id === undefined) throw invalidAt(at, 'must answer a call before it')
  open?.delete(tool_call_id)
  const said = objectAt(response ?? {}, `${at}.response`)
  const only = Object.keys(said).length === 1 ? (said.output ?? said.result) : undefined
  return { role: 'tool', tool_call_id, content: typeof only === 'string' ? only : JSON.stringify(said) }
}
