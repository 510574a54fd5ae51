import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { asList, asObject, type Fields } from '@ratchet/service-kit/values/json'
import { requestIdOf } from '../wire/responses/response-id.ts'
import { isItemId, reasoningWriter, replayedItem } from '../wire/responses/stored-items.ts'
import { replayedOutput } from './replayed-output.ts'
import type { ResponseStore, StoredResponse } from './stored-response.ts'

/** Maximum responses in a chain. Each costs one read by key; the size of a chain is limited by its bytes. */
const maxResponses = 1_000

/** Items of stored responses, or with some of them. */
export interface KnownItems {
  readonly items: readonly Fields[]
  /** Whether one of the responses must not be logged. */
  readonly isUnlogged: boolean
}

export interface ChainQuery {
  readonly workspaceId: string
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
 * @throws ServiceError when one of them does not exist, or they are too many
 */
export async function earlierItems(
  store: ResponseStore,
  { workspaceId, previous, at, maxBytes, added }: ChainQuery,
): Promise<KnownItems> {
  const id = requestIdOf(previous)
  const chain = id === null ? null : await store.chain({ workspaceId, id }, { at, maxResponses, maxBytes })
  if (chain === null || chain.kind === 'missing') throw previousNotFound()
  if (chain.kind === 'too_long') throw tooLong(maxBytes)
  const turns = chain.responses.map((each) => ({ ...each, input: itemsIn(asList(JSON.parse(each.inputItems))) }))
  const answered = new Set([...turns.flatMap(({ input }) => input), ...added].filter(isOutput).map(callIdOf))
  const items = turns.flatMap(({ input, ...response }) => [
    ...input.map((item) => replayedItem(item, null)).filter((item) => item !== null),
    ...replayedOutput(response, answered),
  ])
  return { items, isUnlogged: turns.some(({ isUnlogged }) => isUnlogged) }
}

export interface ReferenceQuery {
  readonly workspaceId: string
  readonly items: readonly Fields[]
  readonly at: Date
  readonly maxBytes: number
}

/**
 * The items with every `item_reference` replaced by the item that it names; the same list when there is none.
 *
 * @throws ServiceError naming the reference whose item does not exist
 */
export async function referredItems(
  store: ResponseStore,
  { workspaceId, items, at, maxBytes }: ReferenceQuery,
): Promise<KnownItems> {
  const itemIds = items.filter(isReference).map(({ id }) => id)
  if (itemIds.length === 0) return { items, isUnlogged: false }
  const replies = await store.repliesWith({ workspaceId, itemIds: itemIds.filter(isItemId), at, maxBytes })
  if (replies === null) throw tooLong(maxBytes)
  const known = new Map(replies.flatMap(namedItems))
  const replaced = items.map((item, index) => {
    if (!isReference(item)) return item
    const named = known.get(item.id)
    if (named !== undefined) return named
    const message = 'No stored response has this item. Send the item itself, or store the responses it comes from.'
    throw new ServiceError('invalid_request', message, { param: `input.${index}.id` })
  })
  return { items: replaced, isUnlogged: replies.some(({ isUnlogged }) => isUnlogged) }
}

function isReference({ type }: Fields): boolean {
  return type === 'item_reference'
}

function isOutput({ type }: Fields): boolean {
  return type === 'function_call_output' || type === 'custom_tool_call_output'
}

function callIdOf({ call_id }: Fields): unknown {
  return call_id
}

/** The output items of a response by their ids; reasoning with the model that can read it. */
function namedItems({ reply, model }: Pick<StoredResponse, 'reply' | 'model'>): [unknown, Fields][] {
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
