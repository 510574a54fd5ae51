import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { PromptShape } from '../../pricing/prompt-shape.ts'
import { clientTools } from '../../wire/messages/client-tools.ts'

export interface MessagesPrompt {
  readonly messages: readonly unknown[]
  /** A string, a list of blocks, or absent. */
  readonly system: unknown
  readonly tools: readonly unknown[]
}

type Tally = { -readonly [Key in keyof PromptShape]: PromptShape[Key] }

/** The size of a Messages prompt, in time proportional to the number of its blocks and tools. */
export function messagesPromptShape({ messages, system, tools }: MessagesPrompt): PromptShape {
  const tally: Tally = { items: messages.length, tools: 0, mediaParts: 0, mediaLength: 0, unbounded: false }
  addContent(tally, system)
  for (const message of messages) addContent(tally, asObject(message)?.content)
  for (const tool of tools) addTool(tally, asObject(tool)?.type)
  return tally
}

function addContent(tally: Tally, content: unknown): void {
  for (const block of Array.isArray(content) ? content : []) addBlock(tally, asObject(block) ?? {})
}

function addBlock(tally: Tally, { type, source, content, signature, data }: Fields): void {
  tally.items += 1
  switch (type) {
    case 'text':
    case 'tool_use':
      return
    case 'thinking':
    case 'redacted_thinking':
      addHidden(tally, signature ?? data)
      return
    case 'tool_result':
    case 'search_result':
      addContent(tally, content)
      return
    case 'image':
      addMedia(tally, asObject(source) ?? {}, 'image')
      return
    case 'document':
      addDocument(tally, asObject(source) ?? {})
      return
    default:
      tally.unbounded = true
  }
}

function addDocument(tally: Tally, source: Fields): void {
  if (source.type === 'content') addContent(tally, source.content)
  else if (source.type !== 'text') addMedia(tally, source, 'document')
}

/** An image has a maximum number of tokens. A document has none, because it may have any number of pages. */
function addMedia(tally: Tally, source: Fields, kind: 'image' | 'document'): void {
  const given = source.type === 'base64' ? source.data : source.type === 'url' ? source.url : undefined
  tally.mediaParts += 1
  tally.mediaLength += typeof given === 'string' ? given.length : 0
  if (kind === 'document' || typeof given !== 'string') tally.unbounded = true
}

/**
 * The model reads earlier thinking again in full, from encrypted text beside its summary. Only its length bounds its
 * tokens.
 */
function addHidden(tally: Tally, encrypted: unknown): void {
  const length = typeof encrypted === 'string' ? encrypted.length : 0
  if (length > 0) tally.soundLength = (tally.soundLength ?? 0) + length
}

/** The tools of Anthropic add instructions that are not in the body. They count as this many tools of a client. */
const ownToolWeight = 32
const ownTools = /^(?:bash|text_editor|computer|memory)_\d{8}$/

function addTool(tally: Tally, type: unknown): void {
  if (typeof type === 'string' && !clientTools.test(type)) {
    tally.tools += ownToolWeight // it is left out, unless it has a price
    return
  }
  const isCallers = type === undefined || type === null || type === 'custom'
  tally.tools += isCallers ? 1 : ownToolWeight
  if (!isCallers && !(typeof type === 'string' && ownTools.test(type))) tally.unbounded = true
}
