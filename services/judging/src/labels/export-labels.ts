import type { LabelFilter, LabelStore } from './label-store.ts'
import { labelTexts } from './label-texts.ts'

/** Labels that are read at a time; no connection is held while the client takes them. */
const pageSize = 500

/** All grades that match, as lines of JSON, the newest first, as they are at that time. Without a filter nothing matches. */
export async function* exportLabels(
  store: Pick<LabelStore, 'page' | 'snapshots'>,
  filter: LabelFilter | null,
  asOf: Date,
): AsyncGenerator<string> {
  if (filter === null) return
  let page = await store.page({ ...filter, asOf }, { limit: pageSize, offset: 0 })
  while (page.length > 0) {
    for await (const text of labelTexts(store, page)) yield `${text}\n`
    page = await store.page({ ...filter, asOf }, { limit: pageSize, offset: 0, after: page.at(-1) })
  }
}
