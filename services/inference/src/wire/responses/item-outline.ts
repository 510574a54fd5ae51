import type { OutputItem } from './output-item.ts'
import { itemIdOf } from './response-id.ts'

/** Receives every event of a response that is being assembled, except those about the response as a whole. */
export type OnDraftEvent = (type: string, members: object) => void

/** The items of a response's output in the order in which they begin, with their events. */
export interface ItemOutline {
  readonly items: readonly OutputItem[]
  /** An id for the item that begins next. */
  nextId(prefix: 'msg' | 'rs' | 'fc' | 'ctc'): string
  begin(item: OutputItem): void
  end(item: OutputItem, status: 'completed' | 'incomplete'): void
  /** Reports an event of one item. */
  report(type: string, item: OutputItem, members: object): void
}

export function createItemOutline(requestId: string, onEvent: OnDraftEvent): ItemOutline {
  const items: OutputItem[] = []
  const indexes = new Map<OutputItem, number>()
  return {
    items,
    nextId: (prefix) => itemIdOf(prefix, requestId, items.length),
    begin(item) {
      const output_index = items.push(item) - 1
      indexes.set(item, output_index)
      onEvent('response.output_item.added', { output_index, item })
    },
    end(item, status) {
      item.status = status
      onEvent('response.output_item.done', { output_index: indexes.get(item), item })
    },
    report(type, item, members) {
      onEvent(type, { item_id: item.id, output_index: indexes.get(item), ...members })
    },
  }
}
