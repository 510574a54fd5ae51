import { asObject, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import type { CatalogModel } from '../../catalog/catalog.ts'
import type { Body } from '../dialect.ts'
import { exactMember } from '../json/exact-json.ts'
import { drop } from '../leniency.ts'
import { madeOf, type Origins, within } from '../origins.ts'
import type { ProviderRequest } from '../provider.ts'
import { invalid, unsupported } from '../refusal.ts'
import { detailsOf } from '../signed-thoughts.ts'
import { cacheHint, hintAtEnd, keepsCacheHints, type CachingPlace as Place } from './cache-hints.ts'
import { chatPart, type Part, textOfBlocks, textPart } from './chat-parts.ts'
import { isToolChange } from './tool-changes.ts'

/** Where a turn is in the request, and how its model takes the reasoning of earlier answers. */
interface TurnPlace extends Place {
  readonly reasoning: CatalogModel['historyReasoning']
}

/** The system prompt and the messages of a Messages request as messages of a chat completion. */
export function chatMessages(request: ProviderRequest, origins: Origins): readonly Body[] {
  const { system } = request.body
  const { leniency } = request
  const reasoning = request.model.historyReasoning
  const keepsHints = keepsCacheHints(request.model)
  const messages = messagesOf(request)
  const given = (Array.isArray(messages) ? messages : []).map((message) => asObject(message) ?? {})
  const last = given.length - 1
  if (given[last]?.role === 'assistant') {
    throw unsupported(`messages.${last}.role`, 'the model cannot go on from an answer that was begun')
  }
  const turns = [
    ...systemMessage(system ?? '', { path: 'system', origins, keepsHints, leniency }),
    ...given.flatMap((message, index) =>
      chatTurn(message, { path: `messages.${index}`, origins, keepsHints, leniency, reasoning }),
    ),
  ]
  return hintAtEnd(turns, request.body, { path: '', origins, keepsHints, leniency })
}

/** With tool calls the body is parsed exactly, so that numbers in their inputs keep all digits. */
function messagesOf(request: ProviderRequest): unknown {
  const { messages } = request.body
  const hasCalls = Array.isArray(messages) && messages.some((message) => callsIn(asObject(message)?.content))
  return hasCalls ? exactMember(request, 'messages') : messages
}

function callsIn(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => asObject(block)?.type === 'tool_use')
}

function chatTurn({ role, content }: Fields, place: TurnPlace): Body[] {
  if (role === 'system') return systemMessage(content, within(place, 'content'))
  if (typeof content === 'string') return [madeOf(place, { role, content })]
  const blocks = (Array.isArray(content) ? content : []).map((block) => asObject(block) ?? {})
  return role === 'assistant' ? [assistantMessage(blocks, place)] : userMessages(blocks, place)
}

function systemMessage(given: unknown, place: Place): Body[] {
  const content = withoutToolChanges(given, place)
  const text = textOfBlocks(content, place.path, '\n\n')
  const parts = Array.isArray(content) ? partsOf(content, place) : []
  const said = parts.some(isHinted) ? parts : text
  return text === '' ? [] : [madeOf(place, { role: 'system', content: said })]
}

/** The model is offered the tools that are left after all changes. */
function withoutToolChanges(content: unknown, { leniency }: Place): unknown {
  if (leniency === undefined || !Array.isArray(content)) return content
  return content.filter((block) => !isToolChange(asObject(block) ?? {}))
}

/** Blocks of an earlier answer about what Anthropic did beside it. */
const ofProvider = new Set<unknown>(['server_tool_use', 'mcp_tool_use', 'mcp_tool_listing', 'fallback', 'compaction'])

/**
 * What a provider ran for itself in an earlier answer. The text of that answer says what came of it.
 *
 * @throws Refusal without leniency, or for another block
 */
function leaveOut({ type }: Fields, { path, leniency }: Place): void {
  const isOfProvider = ofProvider.has(type) || (typeof type === 'string' && type.endsWith('_tool_result'))
  if (leniency === undefined || !isOfProvider) throw unsupported(`${path}.type`)
  drop(leniency, `content.${type}`)
}

const thoughts = new Set<unknown>(['thinking', 'redacted_thinking'])

/**
 * The thinking of an earlier answer, in the form in which the provider takes it. Several providers refuse the result of
 * a tool when the thinking before the call is missing.
 */
function earlierThoughts(blocks: readonly Fields[], reasoning: TurnPlace['reasoning']): Body {
  if (reasoning === null) return {}
  const given = blocks.filter(({ type }) => thoughts.has(type))
  if (reasoning === 'signed') {
    const details = detailsOf(given)
    return details.length === 0 ? {} : { reasoning_details: details }
  }
  const text = given.map(({ thinking }) => (typeof thinking === 'string' ? thinking : '')).join('')
  return text === '' ? {} : { [reasoning]: text }
}

function assistantMessage(blocks: readonly Fields[], place: TurnPlace): Body {
  const content = within(place, 'content')
  const calls: Body[] = []
  let hint: Fields = {}
  let text = ''
  for (const [index, block] of blocks.entries()) {
    const { path } = within(content, index)
    hint = { ...hint, ...cacheHint(block, within(content, index)) }
    if (block.type === 'text') text += textPart(block, path).text
    else if (block.type === 'compaction' && typeof block.content === 'string')
      text += block.content // a summary of what came before
    else if (block.type === 'tool_use')
      calls.push(madeOf(within(content, index), toolCall(block, within(content, index))))
    else if (!thoughts.has(block.type)) leaveOut(block, within(content, index))
  }
  const said = { role: 'assistant', content: hintedText(text, hint), ...earlierThoughts(blocks, place.reasoning) }
  if (calls.length === 0) return madeOf(place, said)
  return madeOf(place, { ...said, content: text === '' ? null : said.content, tool_calls: calls })
}

function toolCall({ id, name, input, toolset_name: toolset, extra_content: extra }: Fields, place: Place): Body {
  const { path } = place
  if (typeof id !== 'string') throw invalid(`${path}.id`, 'must be a string')
  if (typeof name !== 'string') throw invalid(`${path}.name`, 'must be a string')
  leaveOutToolset(toolset, place)
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } }
  return asObject(extra) === null ? call : { ...call, extra_content: extra }
}

/** The toolset itself is one of Anthropic's, which other models do not get. */
function leaveOutToolset(toolset: unknown, { path, leniency }: Place): void {
  if (isAbsent(toolset)) return
  if (leniency === undefined) throw unsupported(`${path}.toolset_name`)
  drop(leniency, 'content.toolset_name')
}

/**
 * Tool results come first, each as a message of its own, because they must follow the calls. The user's text comes
 * after them.
 */
function userMessages(blocks: readonly Fields[], place: Place): Body[] {
  const results: Body[] = []
  const parts: Part[] = []
  for (const [index, block] of blocks.entries()) {
    const at = within(within(place, 'content'), index)
    if (block.type !== 'tool_result') parts.push(...partsAt(block, at))
    else {
      const { message, media } = toolResult(block, at)
      results.push(madeOf(at, message))
      parts.push(...media)
    }
  }
  if (parts.length === 0 && results.length > 0) return results
  return [...results, madeOf(place, { role: 'user', content: contentOf(parts) })]
}

/** A tool message can only have text. Its images and files are added to the user's message after it. */
function toolResult(block: Fields, place: Place): { readonly message: Body; readonly media: readonly Part[] } {
  const { tool_use_id: id, content, is_error: isError, toolset_name: toolset } = block
  if (typeof id !== 'string') throw invalid(`${place.path}.tool_use_id`, 'must be a string')
  leaveOutToolset(toolset, place)
  const parts = partsOf(withoutReferences(content ?? '', place), within(place, 'content'))
  const hint = { ...cacheHint(parts.findLast(isHinted) ?? {}, place), ...cacheHint(block, place) }
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  const media = parts.filter(({ type }) => type !== 'text')
  const label = { type: 'text', text: `From the result of the tool call ${id}:` } as const
  return {
    message: { role: 'tool', tool_call_id: id, content: hintedText(isError === true ? `Error: ${text}` : text, hint) },
    media: media.length === 0 ? [] : [label, ...media],
  }
}

/**
 * The result of a search for tools, with their names as text: a model of another provider was offered all tools before.
 */
function withoutReferences(content: unknown, { leniency }: Place): unknown {
  if (leniency === undefined || !Array.isArray(content)) return content
  return content.map((block) => {
    const { type, tool_name: name } = asObject(block) ?? {}
    if (type !== 'tool_reference' || typeof name !== 'string') return block
    drop(leniency, 'content.tool_reference')
    return { type: 'text', text: name }
  })
}

function partsOf(content: unknown, place: Place): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw invalid(place.path, 'must be a string or an array of blocks')
  return content.flatMap((block, index) => partsAt(asObject(block) ?? {}, within(place, index)))
}

function partsAt(block: Fields, place: Place): Part[] {
  const parts = chatPart(block, place)
  const end = parts.length - 1
  return parts.map((part, index) => madeOf(place, index === end ? { ...part, ...cacheHint(block, place) } : part))
}

function isHinted(part: Part): boolean {
  return part.cache_control !== undefined
}

function hintedText(text: string, hint: Fields): unknown {
  return text === '' || Object.keys(hint).length === 0 ? text : [{ type: 'text', text, ...hint }]
}

/** A single text becomes a string, which every provider accepts. */
function contentOf(parts: readonly Part[]): string | readonly Part[] {
  const [first] = parts
  if (first === undefined) return ''
  return parts.length === 1 && first.type === 'text' && !isHinted(first) ? first.text : parts
}
