import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { invalid, unsupported } from '../../wire/refusal.ts'
import { checkMembers } from '../check-members.ts'
import { calledFunctionRules, signedToolCallRules } from '../common-members.ts'
import { readToolArguments } from '../tool-arguments.ts'
import { messageRules } from './chat-parameters.ts'
import { convertContent, objectAt, type Part, textAt } from './convert-parts.ts'
import { foreignSignature, signatureIn } from './thought-signature.ts'

interface Content {
  readonly role: 'user' | 'model'
  readonly parts: Part[]
}

export interface Prompt {
  /** Google has a single system instruction. It contains all system messages of the conversation, in their order. */
  readonly systemInstruction: { readonly parts: readonly Part[] } | undefined
  readonly contents: readonly Content[]
}

interface Conversation {
  readonly instructions: Part[]
  readonly contents: Content[]
  /** Names of the functions that were called, by the ids of the calls. */
  readonly callNames: Map<string, string>
  /** Collects the results of the calls before it; null after any other message. */
  results: Results | null
  readonly wantsSignatures: boolean
}

interface Results {
  readonly content: Content
  /**
   * Images and files in the results. They follow as a content of their own, because a function's response is only JSON.
   */
  readonly media: Content
}

/**
 * Converts chat messages to Google's form.
 *
 * @param wantsSignatures true when the model refuses calls without the signature of their reasoning
 * @throws Refusal naming what Google does not support
 */
export function convertMessages(messages: readonly unknown[], wantsSignatures: boolean): Prompt {
  const conversation: Conversation = {
    instructions: [],
    contents: [],
    callNames: new Map(),
    results: null,
    wantsSignatures,
  }
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`
    addMessage(conversation, objectAt(message, path), path)
  }
  const { instructions, contents } = conversation
  return { systemInstruction: instructions.length === 0 ? undefined : { parts: instructions }, contents }
}

function addMessage(conversation: Conversation, message: Fields, path: string): void {
  const role = textAt(message.role, `${path}.role`)
  const rules = messageRules.get(role)
  if (rules === undefined) throw unsupported(`${path}.role`)
  checkMembers(message, path, rules)
  if (role !== 'tool') conversation.results = null
  switch (role) {
    case 'tool':
      addResult(conversation, message, path)
      return
    case 'user': {
      const parts = convertContent(message.content ?? '', `${path}.content`, shown)
      conversation.contents.push({ role: 'user', parts: parts.length === 0 ? [{ text: '' }] : parts })
      return
    }
    case 'assistant': {
      const parts = [...said(message, path), ...called(conversation, message, path)]
      if (parts.length > 0) conversation.contents.push({ role: 'model', parts })
      return
    }
    default: // system and developer
      for (const part of convertContent(message.content ?? [], `${path}.content`, ['text']).filter(isSaid))
        conversation.instructions.push(part)
  }
}

/** Consecutive results answer the calls of one message, so they become one turn. */
function addResult(conversation: Conversation, message: Fields, path: string): void {
  const id = textAt(message.tool_call_id, `${path}.tool_call_id`)
  const name = conversation.callNames.get(id)
  if (name === undefined) throw invalid(`${path}.tool_call_id`, 'must be the id of a tool call before it')
  const parts = convertContent(message.content ?? '', `${path}.content`, shown)
  const output = parts.map(({ text }) => text ?? '').join('')
  const { content, media } = resultsOf(conversation)
  content.parts.push({ functionResponse: { id, name, response: { output } } })
  const others = parts.filter(({ text }) => text === undefined)
  if (others.length === 0) return
  if (media.parts.length === 0) conversation.contents.push(media)
  media.parts.push({ text: `From the result of the tool call ${id}:` }, ...others)
}

function resultsOf(conversation: Conversation): Results {
  if (conversation.results !== null) return conversation.results
  const results: Results = { content: { role: 'user', parts: [] }, media: { role: 'user', parts: [] } }
  conversation.contents.push(results.content)
  conversation.results = results
  return results
}

function said({ content, refusal }: Fields, path: string): Part[] {
  const parts = content === null || content === undefined ? [] : convertContent(content, `${path}.content`, spoken)
  if (typeof refusal === 'string') parts.push({ text: refusal })
  return parts.filter(isSaid)
}

function isSaid({ text }: Part): boolean {
  return text !== ''
}

const spoken = ['text', 'refusal']
const shown = ['text', 'image_url', 'input_audio', 'file']

function called(conversation: Conversation, { tool_calls: given }: Fields, path: string): Part[] {
  const calls = given ?? []
  if (!Array.isArray(calls)) throw invalid(`${path}.tool_calls`, 'must be an array')
  const parts = calls.map((call, index) => convertCall(conversation, call, `${path}.tool_calls.${index}`))
  const [first, ...others] = parts
  const isSigned = parts.some(({ thoughtSignature }) => thoughtSignature !== undefined)
  if (first === undefined || isSigned || !conversation.wantsSignatures) return parts
  return [{ ...first, thoughtSignature: foreignSignature }, ...others]
}

function convertCall({ callNames }: Conversation, value: unknown, path: string): Part {
  const call = objectAt(value, path)
  checkMembers(call, path, signedToolCallRules)
  const called = objectAt(call.function, `${path}.function`)
  checkMembers(called, `${path}.function`, calledFunctionRules)
  const id = textAt(call.id, `${path}.id`)
  const name = textAt(called.name, `${path}.function.name`)
  callNames.set(id, name)
  const signature = signatureIn(asObject(call.extra_content))
  return {
    functionCall: { id, name, args: readToolArguments(called.arguments, `${path}.function.arguments`) },
    ...(signature === null ? {} : { thoughtSignature: signature }),
  }
}
