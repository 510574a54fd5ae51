import { maxTotal } from '@ratchet/contracts/log-filters'
import type { LabelFilter, LabelPage, LabelStore } from './label-store.ts'
import { memberTexts } from './label-texts.ts'

/** A page of grades, as pieces of JSON. Without a filter nothing matches. */
export async function* listLabels(
  store: Pick<LabelStore, 'page' | 'count' | 'snapshots'>,
  filter: LabelFilter | null,
  { limit, offset }: LabelPage,
): AsyncGenerator<string> {
  const [page, total] =
    filter === null
      ? [[], 0]
      : await Promise.all([store.page(filter, { limit: limit + 1, offset }), store.count(filter, maxTotal)])
  yield '{"object":"list","data":['
  yield* memberTexts(store, page.slice(0, limit))
  yield `],"total":${total},"limit":${limit},"offset":${offset},"has_more":${page.length > limit}}`
}
