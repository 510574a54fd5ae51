import type { ModelEntry } from '@ratchet/contracts/catalog-file'
import type { DatedModel } from '@ratchet/contracts/check-catalog'
import { type ListedModel, type PriceField, plain, priceFields } from './price-list.ts'

export interface PriceChange {
  readonly field: PriceField
  /** What the catalog says; null when it says nothing. */
  readonly catalog: string | null
  readonly list: string
}

export interface ComparedModel {
  readonly entry: ModelEntry
  /** The day on which the catalog's price was read. */
  readonly asOf: string
  readonly listed: ListedModel
  /** Empty when the prices agree. */
  readonly changes: readonly PriceChange[]
}

export interface Compared {
  /** Models of both, in the order of the catalog. */
  readonly models: readonly ComparedModel[]
  /** Chat models of the catalog, without families, that the list does not have. */
  readonly unlisted: readonly string[]
  /** Models of the list, of providers of the catalog, that the catalog does not have. */
  readonly missing: readonly ListedModel[]
}

/** Compares the catalog with a price list. */
export function comparePrices(catalog: readonly DatedModel[], list: readonly ListedModel[]): Compared {
  const byName = new Map(list.flatMap((model) => namesOf(model).map((name) => [name, model] as const)))
  const models: ComparedModel[] = []
  const unlisted: string[] = []
  const found = new Set<ListedModel>()
  for (const { entry, asOf } of catalog) {
    if (entry.kind !== 'chat' || entry.pattern !== undefined || entry.provider === 'sim') continue
    const listed = catalogNames(entry)
      .map((name) => byName.get(name))
      .find((model) => model !== undefined)
    if (listed === undefined) {
      unlisted.push(entry.id)
      continue
    }
    found.add(listed)
    models.push({ entry, asOf, listed, changes: changesOf(entry, listed) })
  }
  const providers = new Set(catalog.map(({ entry }) => entry.provider))
  const missing = list.filter((model) => !found.has(model) && providers.has(providerOf(model)))
  return { models, unlisted, missing }
}

function changesOf(entry: ModelEntry, { prices }: ListedModel): PriceChange[] {
  return priceFields.flatMap((field) => {
    const list = prices[field]
    const known = entry[field] ?? null
    const catalog = known === null ? null : plain(known)
    return list === undefined || list === catalog ? [] : [{ field, catalog, list }]
  })
}

/** Names of providers in lists that the catalog calls otherwise. */
const providerNames: Readonly<Record<string, string>> = {
  gemini: 'google',
  together_ai: 'together',
  fireworks_ai: 'fireworks',
  bedrock_converse: 'bedrock',
  dashscope: 'alibaba',
}

/** As the catalog calls it. */
export function providerOf({ provider }: ListedModel): string {
  return providerNames[provider] ?? provider
}

/** As the provider calls it. */
export function upstreamNameOf({ name, provider }: ListedModel): string {
  return name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name
}

/** A list names some models alone, and others with their provider. */
function namesOf(model: ListedModel): readonly string[] {
  return [`${providerOf(model)}/${upstreamNameOf(model)}`.toLowerCase()]
}

function catalogNames({ id, provider, upstream_model: upstream, also_known_as: others = [] }: ModelEntry) {
  return [`${provider}/${upstream}`, id, ...others.map((name) => `${provider}/${name}`)].map((name) =>
    name.toLowerCase(),
  )
}
