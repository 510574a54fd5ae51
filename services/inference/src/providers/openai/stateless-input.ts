import type { ProviderRequest } from '../../wire/provider.ts'
import { asList, asObject, type Fields, isAbsent } from '../../wire/responses/fields.ts'
import { reasoningWriter } from '../../wire/responses/stored-items.ts'

export interface StatelessInput {
  readonly items: readonly Fields[]
  /** Of each of them in the request's own list. */
  readonly places: readonly number[]
}

/**
 * The `input` of a Responses body for a provider that keeps nothing: without ids, which it could only look up in vain,
 * without reasoning that this model cannot read, and without what other providers had put into the items. Null when
 * that changes nothing.
 */
export function statelessInput({ model, body }: Pick<ProviderRequest, 'model' | 'body'>): StatelessInput | null {
  const given = asList(body.input)
  const sent = given.flatMap((value, place) => {
    const item = asObject(value) ?? {}
    return isReadable(item, model.id) ? [{ place, item: withoutOurs(item) }] : []
  })
  const isSame = sent.length === given.length && sent.every(({ item, place }) => item === given[place])
  return isSame ? null : { items: sent.map(({ item }) => item), places: sent.map(({ place }) => place) }
}

/** Reasoning is encrypted by the model that wrote it; without that it is only an id. */
function isReadable(item: Fields, model: string): boolean {
  if (item.type !== 'reasoning') return true
  const writer = item[reasoningWriter]
  const isEncrypted = !isAbsent(item.encrypted_content) && item.encrypted_content !== ''
  return isEncrypted && (isAbsent(writer) || writer === model)
}

/** Items that are known by their ids alone, or whose id belongs to what is encrypted in them. */
const keepIds: ReadonlySet<unknown> = new Set(['reasoning', 'compaction', 'item_reference'])

/** The very same item when nothing of that is in it, nor what OpenAI's SDKs lay into what they read. */
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
