import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { asList, asObject, type Fields } from '@ratchet/service-kit/values/json'
import { isReference } from '../wire/responses/item-reference.ts'
import { requestIdOf } from '../wire/responses/response-id.ts'
import { isItemId, reasoningWriter, replayedItem } from '../wire/responses/stored-items.ts'
import { readTexts, type TextReading } from './read-texts.ts'
import { replayedOutput } from './replayed-output.ts'
import type { ChainedResponse, ReferredResponse, ResponseStore } from './stored-response.ts'

/** Maximum responses in a chain. Each costs one read by key; the size of a chain is limited by its bytes. */
const maxResponses = 1_000
/** Maximum items of one request that name a stored one. */
const maxReferences = 5_000

/** Items of stored responses, or with some of them. */
export interface KnownItems {
  readonly items: readonly Fields[]
  /** Whether one of the responses must not be logged. */
  readonly isUnlogged: boolean
}

export interface ChainQuery extends TextReading {
  /** The id of a response, as a client gave it. */
  readonly previous: string
  readonly at: Date
  readonly maxBytes: number
  /** The items of the request itself. */
  readonly added: readonly Fields[]
}

/**
 * The items of a response and of all before it, in the form in which they are sent to a model again.
 *
 * @throws ServiceError when one of them does not exist, they are too many, or there is no memory for them
 */
export async function earlierItems(
  store: ResponseStore,
  { previous, at, maxBytes, added, ...reading }: ChainQuery,
): Promise<KnownItems> {
  const { workspaceId } = reading
  const id = requestIdOf(previous)
  const chain = id === null ? null : await store.chain({ workspaceId, id }, { at, maxResponses, maxBytes })
  if (chain === null || chain.kind === 'missing') throw previousNotFound()
  if (chain.kind === 'too_long') throw tooLong(maxBytes)
  return readTexts(chain, reading, (responses) => {
    if (responses === null) throw previousNotFound()
    return itemsOfChain(responses, added)
  })
}

function itemsOfChain(responses: readonly ChainedResponse[], added: readonly Fields[]): KnownItems {
  const turns = responses.map((each) => ({ ...each, input: itemsIn(asList(JSON.parse(each.inputItems))) }))
  const answered = new Set([...turns.flatMap(({ input }) => input), ...added].filter(isOutput).map(callIdOf))
  const items = turns.flatMap(({ input, ...response }) => [
    ...input.map((item) => replayedItem(item, null)).filter((item) => item !== null),
    ...replayedOutput(response, answered),
  ])
  return { items, isUnlogged: turns.some(({ isUnlogged }) => isUnlogged) }
}

export interface ReferenceQuery extends TextReading {
  readonly items: readonly Fields[]
  readonly at: Date
  readonly maxBytes: number
}

/**
 * The items with every `item_reference` replaced by the item that it names; the same list when there is none. Memory is
 * reserved for what the references stand for, each time that they name it.
 *
 * @throws ServiceError naming the reference whose item does not exist; when what they stand for is too large, or there is
 *   no memory for it
 */
export async function referredItems(
  store: ResponseStore,
  { items, at, maxBytes, ...reading }: ReferenceQuery,
): Promise<KnownItems> {
  const ids = items.filter(isReference).map(({ id }) => id)
  if (ids.length === 0) return { items, isUnlogged: false }
  if (ids.length > maxReferences) throw tooManyReferences()
  const { workspaceId, reserve } = reading
  const itemIds = [...new Set(ids.filter(isItemId))]
  const found = await store.repliesWith({ workspaceId, itemIds, at, maxBytes })
  if (found === null) throw tooLong(maxBytes)
  const { known, isUnlogged } = await readTexts(found, reading, (replies) => ({
    known: new Map(replies.flatMap(namedItems)),
    isUnlogged: replies.some((reply) => reply.isUnlogged),
  }))
  reserve(replacedBytes(ids, known, maxBytes))
  const replaced = items.map((item, index) => {
    if (!isReference(item)) return item
    const named = known.get(item.id)
    if (named !== undefined) return named
    const message = 'No stored response has this item. Send the item itself, or store the responses it comes from.'
    throw new ServiceError('invalid_request', message, { param: `input.${index}.id` })
  })
  return { items: replaced, isUnlogged }
}

/**
 * The bytes that references stand for. One item that many of them name is measured once.
 *
 * @throws ServiceError `request_too_large` for more than `maxBytes`
 */
function replacedBytes(ids: readonly unknown[], known: ReadonlyMap<unknown, Fields>, maxBytes: number): number {
  const sizes = new Map<unknown, number>()
  let bytes = 0
  for (const id of ids) {
    const size = sizes.get(id) ?? sentBytes(known.get(id))
    sizes.set(id, size)
    bytes += size
    if (bytes > maxBytes) throw tooLong(maxBytes)
  }
  return bytes
}

/** Bytes with which a stored item is sent again. */
function sentBytes(item: Fields | undefined): number {
  const sent = item === undefined ? null : replayedItem(item, null)
  return sent === null ? 0 : Buffer.byteLength(JSON.stringify(sent))
}

function isOutput({ type }: Fields): boolean {
  return type === 'function_call_output' || type === 'custom_tool_call_output'
}

function callIdOf({ call_id }: Fields): unknown {
  return call_id
}

/** The output items of a response by their ids; reasoning with the model that can read it. */
function namedItems({ reply, model }: ReferredResponse): [unknown, Fields][] {
  return itemsIn(asList(asObject(JSON.parse(reply))?.output)).map((item) => [
    item.id,
    item.type === 'reasoning' ? { ...item, [reasoningWriter]: model } : item,
  ])
}

function itemsIn(values: readonly unknown[]): readonly Fields[] {
  return values.map((value) => asObject(value) ?? {})
}

/** The same message for every id, so that it reveals nothing about other workspaces. */
function previousNotFound(): ServiceError {
  const message = 'The previous response, or one before it, is not stored: it never was, was deleted or has expired.'
  return new ServiceError('previous_response_not_found', message, { param: 'previous_response_id' })
}

function tooLong(maxBytes: number): ServiceError {
  const message = `The responses before this one are more than ${maxResponses}, or larger than ${maxBytes} bytes.`
  return new ServiceError('request_too_large', message, { param: 'previous_response_id' })
}

function tooManyReferences(): ServiceError {
  return new ServiceError('request_too_large', `At most ${maxReferences} items may be references.`, { param: 'input' })
}
