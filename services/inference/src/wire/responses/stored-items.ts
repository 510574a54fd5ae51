import { asList, asObject, asText, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import { itemIdOf } from './response-id.ts'

/** The input of a checked body as a list of items. */
export function inputItemsOf(input: unknown): readonly Fields[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return asList(input).map((item) => asObject(item) ?? {})
}

/** An input item as the API returns it: with a type, an id, and its text as a list of parts. */
export function shownItem(item: Fields, requestId: string, index: number): Fields {
  const id = typeof item.id === 'string' && item.id !== '' ? item.id : itemIdOf('in', requestId, index)
  if (!isAbsent(item.type) && item.type !== 'message') return { ...item, id }
  const type = item.role === 'assistant' ? 'output_text' : 'input_text'
  const part = { type, text: item.content, ...(item.role === 'assistant' ? { annotations: [] } : {}) }
  const content = typeof item.content === 'string' ? [part] : item.content
  return { status: 'completed', ...item, type: 'message', id, content }
}

/**
 * An earlier item as it is sent to a model again; null for reasoning without content, which is only an id. Ids refer to a store, and no
 * provider has these items, so they are removed. Encrypted reasoning is bound to the model that wrote it.
 *
 * @param writer the model that wrote the item; null when it is not known
 */
export function replayedItem(item: Fields, writer: string | null): Fields | null {
  if (item.type === 'reasoning') {
    if (isAbsent(item.encrypted_content) && thoughtOf(item) === '') return null
    return { ...withoutStatus(item), ...(writer === null ? {} : { [reasoningWriter]: writer }) }
  }
  if (item.type === 'compaction') return item
  const { id: _ours, ...rest } = item
  return withoutStatus(rest)
}

/** The readable text of a reasoning item, else of its summary; empty when it has neither. */
export function thoughtOf({ content, summary }: Fields): string {
  return textsIn(content) || textsIn(summary)
}

function textsIn(parts: unknown): string {
  return asList(parts)
    .map((part) => asText(asObject(part)?.text) ?? '')
    .join('')
}

/**
 * The member of a reasoning item that names the model which can read it, by its catalog id. It is never sent to a
 * provider.
 */
export const reasoningWriter = 'written_by'

/** The ids by which a later request may refer to these output items. */
export function itemIdsOf(output: unknown): readonly string[] {
  return asList(output)
    .map((item) => asObject(item)?.id)
    .filter(isItemId)
}

/** True when this can be the id of a stored item. */
export function isItemId(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,256}$/.test(value)
}

function withoutStatus({ status: _then, ...item }: Fields): Fields {
  return item
}
