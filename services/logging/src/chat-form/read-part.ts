import { isExactNumber } from '@ratchet/service-kit/values/exact-json'
import { asList, asObject, asText, type Fields, isObject } from '@ratchet/service-kit/values/json'
import { type ChatMessage, chatMessage, type ToolCall, textPart, toolCall } from './chat-message.ts'
import { parseJsonText, toText } from './parse-json-text.ts'

/** What a part of a message is in a chat completion. */
export type ReadPart =
  | { readonly kind: 'shown'; readonly part: unknown }
  | { readonly kind: 'call'; readonly call: ToolCall }
  | { readonly kind: 'result'; readonly message: ChatMessage }
  /** Reasoning. The text is empty when only the provider can read it. */
  | { readonly kind: 'thought'; readonly text: string }

type PartReader = (part: Fields) => ReadPart

/**
 * Reads a part of a message in the form of any known API or SDK: chat completions, Responses, Messages, Gemini, Bedrock,
 * OpenTelemetry's conventions, and the Vercel AI SDK. An unknown part is shown unchanged.
 */
export function readPart(part: unknown): ReadPart {
  if (!isObject(part) || isExactNumber(part)) return shown(textPart(part))
  const { type } = part
  if (typeof type !== 'string') return readUntyped(part)
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined
  if (reader !== undefined) return reader(part)
  if (type.endsWith('_call')) return readItemCall(part, type.slice(0, -'_call'.length))
  if (type.endsWith('_call_output') || type.endsWith('_tool_result')) return readResult(part)
  return shown(part)
}

/** True for an object that `readPart` knows by its type. Items of the Responses API are such parts without a role. */
export function isKnownPart({ type }: Fields): boolean {
  return typeof type === 'string' && (Object.hasOwn(readers, type) || /_call(_output)?$|_tool_result$/.test(type))
}

const readers: Readonly<Record<string, PartReader>> = {
  text: ({ text, content }) => shown(textPart(text ?? content)),
  input_text: ({ text }) => shown(textPart(text)),
  output_text: ({ text }) => shown(textPart(text)),
  refusal: ({ refusal }) => shown(textPart(refusal)),
  tool_call: readCall,
  'tool-call': readCall,
  tool_use: readCall,
  server_tool_use: readCall,
  mcp_tool_use: readCall,
  function_call: readCall,
  custom_tool_call: readCall,
  tool_call_response: readResult,
  'tool-result': readResult,
  tool_result: readResult,
  reasoning: readThought,
  thinking: readThought,
  redacted_thinking: () => ({ kind: 'thought', text: '' }),
  image: readImage,
  input_image: ({ image_url: url }) => shown(imagePart(toText(url))),
  file: readFile,
  input_file: ({ filename, file_data: data, file_url: url }) => shown(filePart(toText(data ?? url), filename)),
  document: readDocument,
  blob: ({ modality, mime_type: mime, content, data }) => shown(mediaPart(modality, dataUrl(mime, content ?? data))),
  uri: (part) => shown(part.modality === 'image' ? imagePart(toText(part.uri)) : part),
}

/** Gemini and Bedrock name the kind of a part by its only member. */
function readUntyped(part: Fields): ReadPart {
  const call = asObject(part.functionCall ?? part.function_call ?? part.toolUse)
  if (call !== null) return readCall(call)
  const result = asObject(part.functionResponse ?? part.function_response ?? part.toolResult)
  if (result !== null) return readResult(result)
  const data = asObject(part.inlineData ?? part.inline_data)
  if (data !== null) return shown(inlinePart(data.mimeType ?? data.mime_type, data.data))
  const text = asText(part.text) ?? asText(part.content)
  if (text === null) return shown(part)
  return part.thought === true ? { kind: 'thought', text } : shown(textPart(text))
}

function shown(part: unknown): ReadPart {
  return { kind: 'shown', part }
}

function readCall(part: Fields): ReadPart {
  const id = part.id ?? part.call_id ?? part.toolCallId ?? part.toolUseId
  // The Responses API has both an id of the item and one of the call, to which the output refers.
  const called = part.type === 'function_call' || part.type === 'custom_tool_call' ? (part.call_id ?? id) : id
  return { kind: 'call', call: toolCall(called, part.name ?? part.toolName, argumentsOf(part)) }
}

/** The arguments of a call under any of the names that APIs and SDKs have for them. */
export function argumentsOf({ arguments: given, args, input, parameters }: Fields): unknown {
  return given ?? args ?? input ?? parameters
}

/** A call of a tool that the provider or the client runs, such as a shell: its members are the arguments. */
function readItemCall(part: Fields, name: string): ReadPart {
  const { type: _type, id, call_id: callId, status: _status, ...given } = part
  return { kind: 'call', call: toolCall(callId ?? id, name, given) }
}

function readResult(part: Fields): ReadPart {
  const { id, call_id, tool_use_id, toolCallId, toolUseId, name } = part
  const said = part.response ?? part.result ?? part.output ?? part.content
  const toolCallIdText = toText(id ?? call_id ?? tool_use_id ?? toolCallId ?? toolUseId ?? name)
  return {
    kind: 'result',
    message: chatMessage({ role: 'tool', parts: resultParts(said), toolCallId: toolCallIdText }),
  }
}

/** The text of a result; a list of parts remains a list when it has more than text. */
function resultParts(said: unknown): readonly unknown[] {
  const { type, value } = asObject(said) ?? {}
  const isTyped = typeof type === 'string' && value !== undefined // as the AI SDK writes outputs
  const content = isTyped ? value : said
  if (!Array.isArray(content) || !content.every((each) => isObject(each) && typeof each.type === 'string')) {
    return [textPart(content)]
  }
  const parts = content.map(readPart).flatMap((read) => (read.kind === 'shown' ? [read.part] : []))
  const texts = parts.map((part) => asObject(part)?.text)
  return texts.every((text) => typeof text === 'string') ? [textPart(texts.join('\n'))] : parts
}

function readThought({ thinking, content, text, summary }: Fields): ReadPart {
  const said = asText(thinking) ?? asText(content) ?? asText(text)
  if (said !== null) return { kind: 'thought', text: said }
  const pieces = [...asList(content), ...asList(summary)].map((piece) => asText(asObject(piece)?.text) ?? '')
  return { kind: 'thought', text: pieces.filter((piece) => piece !== '').join('\n') }
}

function readImage(part: Fields): ReadPart {
  const source = asObject(part.source)
  if (source !== null) return shown(imagePart(sourceUrl(source)))
  const mime = part.mediaType ?? part.mimeType ?? 'image/png'
  const image = asText(part.image)
  if (image === null) return shown(part)
  return shown(imagePart(/^(https?|data):/.test(image) ? image : dataUrl(mime, image)))
}

function readFile(part: Fields): ReadPart {
  const data = asText(part.data)
  if (data === null) return shown(part)
  const mime = toText(part.mediaType ?? part.mimeType)
  const url = /^(https?|data):/.test(data) ? data : dataUrl(mime, data)
  return shown(mime.startsWith('image/') ? imagePart(url) : filePart(url, part.filename))
}

function readDocument(part: Fields): ReadPart {
  const source = asObject(part.source)
  if (source === null) return shown(part)
  if (source.type === 'text') return shown(textPart(source.data))
  if (source.type === 'content') return shown(textPart(asText(source.content) ?? resultText(source.content)))
  return shown(filePart(sourceUrl(source), part.title))
}

function resultText(content: unknown): string {
  return asList(content)
    .map((block) => asText(asObject(block)?.text) ?? '')
    .join('\n')
}

/** The address of what a block of the Messages API refers to. */
function sourceUrl({ type, media_type: mime, data, url, file_id: fileId }: Fields): string {
  return type === 'base64' ? dataUrl(mime, data) : toText(url ?? fileId)
}

function inlinePart(mime: unknown, data: unknown): unknown {
  return mediaPart(toText(mime).startsWith('image/') ? 'image' : 'file', dataUrl(mime, data))
}

function mediaPart(modality: unknown, url: string): unknown {
  return modality === 'image' ? imagePart(url) : filePart(url, undefined)
}

function dataUrl(mime: unknown, data: unknown): string {
  return `data:${toText(mime)};base64,${toText(data)}`
}

function imagePart(url: string): unknown {
  return { type: 'image_url', image_url: { url } }
}

function filePart(url: string, filename: unknown): unknown {
  return { type: 'file', file: { ...(typeof filename === 'string' ? { filename } : {}), file_data: url } }
}

/** Calls in the form of chat completions, or of frameworks, whose members are not below `function`. */
export function chatToolCalls(calls: unknown): readonly ToolCall[] {
  return asList(parseJsonText(calls)).flatMap((value) => {
    const call = asObject(value)
    if (call === null) return []
    const named = asObject(call.function) ?? call
    return [toolCall(call.id ?? call.toolCallId, named.name ?? named.toolName, argumentsOf(named))]
  })
}
