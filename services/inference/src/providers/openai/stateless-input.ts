import { asList, asObject, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import type { CatalogModel } from '../../catalog/catalog.ts'
import type { ProviderRequest } from '../../wire/provider.ts'
import { reasoningWriter, thoughtOf } from '../../wire/responses/stored-items.ts'

export interface StatelessInput {
  readonly items: readonly Fields[]
  /** The index of each of them in the request's own list. */
  readonly places: readonly number[]
}

/**
 * The `input` of a Responses body for a provider that stores nothing: without ids, which it does not know,
 * without reasoning that this model cannot read, and without members that other providers added. Null when that changes
 * nothing.
 */
export function statelessInput({ model, body }: Pick<ProviderRequest, 'model' | 'body'>): StatelessInput | null {
  const given = asList(body.input)
  const sent = given.flatMap((value, place) => {
    const item = asObject(value) ?? {}
    const readable = readableItem(item, model)
    return readable === null ? [] : [{ place, item: withoutOurs(readable) }]
  })
  const isSame = sent.length === given.length && sent.every(({ item, place }) => item === given[place])
  return isSame ? null : { items: sent.map(({ item }) => item), places: sent.map(({ place }) => place) }
}

/**
 * Encrypted reasoning can be read only by the model that wrote it, and open reasoning only where it is taken from
 * clients. Anything else of a reasoning item is only its id.
 */
function readableItem(item: Fields, { id, historyReasoning }: CatalogModel): Fields | null {
  if (item.type !== 'reasoning') return item
  const { encrypted_content: encrypted, ...open } = item
  const writer = item[reasoningWriter]
  const isEncrypted = !isAbsent(encrypted) && encrypted !== ''
  if (isEncrypted && (isAbsent(writer) || writer === id)) return item
  return historyReasoning !== null && thoughtOf(item) !== '' ? open : null
}

/** Items that consist of their id, or whose id belongs to their encrypted content. */
const keepIds: ReadonlySet<unknown> = new Set(['reasoning', 'compaction', 'item_reference'])

/** The same object when the item has nothing to remove, neither ids nor members that OpenAI's SDKs add. */
function withoutOurs(item: Fields): Fields {
  const { id, extra_content, reasoning_details, parsed_arguments, [reasoningWriter]: writer, ...rest } = item
  const parts = withoutParsed(item.content)
  const isPlain = [extra_content, reasoning_details, parsed_arguments, writer].every((member) => member === undefined)
  const keepsId = keepIds.has(item.type) || id === undefined
  if (isPlain && keepsId && parts === item.content) return item
  return {
    ...rest,
    ...(keepsId && id !== undefined ? { id } : {}),
    ...(parts === item.content ? {} : { content: parts }),
  }
}

function withoutParsed(content: unknown): unknown {
  if (!asList(content).some((part) => asObject(part)?.parsed !== undefined)) return content
  return asList(content).map((value) => {
    const { parsed, ...part } = asObject(value) ?? {}
    return part
  })
}
