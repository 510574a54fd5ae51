import { CatalogFile, type ModelEntry } from '@ratchet/contracts/catalog-file'
import { checkCatalog } from '@ratchet/contracts/check-catalog'
import { type Answer, formatTable } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { readLayers } from './catalog-layers.ts'
import { type Compared, comparePrices, providerOf, upstreamNameOf } from './compare-prices.ts'
import { type ListedModel, readPriceList } from './price-list.ts'

/** Compares the catalog with a price list. Exit code 1 when prices differ. */
export async function catalogDiff(list: string, mounted: string | undefined): Promise<Answer> {
  const compared = await compare(list, mounted)
  const { models, unlisted, missing } = compared
  const changed = models.filter(({ changes }) => changes.length > 0)
  const rows = changed.flatMap(({ entry, asOf, changes }) =>
    changes.map(({ field, catalog, list: price }) => [entry.id, field, catalog ?? '-', price, asOf]),
  )
  const summary = `${models.length} models in both, ${changed.length} with other prices; ${unlisted.length} not in the list; the list has ${missing.length} more of these providers`
  return {
    json: {
      compared: models.length,
      changed: changed.map(({ entry, asOf, changes }) => ({ id: entry.id, as_of: asOf, changes })),
      not_in_list: unlisted,
      not_in_catalog: missing.map(idOf),
    },
    text: rows.length === 0 ? summary : formatTable([['MODEL', 'PRICE', 'CATALOG', 'LIST', 'READ ON'], ...rows]),
    ...(rows.length === 0 ? {} : { note: summary, exitCode: 1 as const }),
  }
}

export interface ProposeOptions {
  readonly mounted: string | undefined
  /** Ids of models of the list to be added, such as `openai/gpt-6-sol`. */
  readonly added: readonly string[]
  readonly now: Date
}

/**
 * Writes a catalog file that a deployment can mount: entries whose prices differ, with those of the list, and models to add.
 *
 * @throws CliError when a model to add is not in the list, or says too little of itself
 */
export async function catalogPropose(list: string, { mounted, added, now }: ProposeOptions): Promise<Answer> {
  const compared = await compare(list, mounted)
  const changed = compared.models.flatMap(({ entry, changes }): ModelEntry[] =>
    changes.length === 0
      ? []
      : [{ ...entry, ...Object.fromEntries(changes.map(({ field, list: price }) => [field, price])) }],
  )
  const file = {
    as_of: now.toISOString().slice(0, 10),
    source: list,
    models: [...changed, ...added.map((id) => newEntry(compared, id))],
  }
  const checked = CatalogFile.safeParse(file)
  if (!checked.success) {
    const [problem] = checked.error.issues
    throw new CliError(`The list contradicts itself: ${problem?.path.join('.')}: ${problem?.message}`)
  }
  return {
    json: file,
    text: JSON.stringify(file, null, 2),
    note: `${changed.length} changed, ${added.length} added. Read each against the provider's own page: what the list does not say, such as prices of long prompts, is as it was.`,
  }
}

async function compare(list: string, mounted: string | undefined): Promise<Compared> {
  const { models, problems } = checkCatalog(await readLayers(mounted))
  if (problems.length > 0) throw new CliError(`the catalog has problems: ${problems[0]}`)
  return comparePrices(models, await readPriceList(list))
}

function idOf(model: ListedModel): string {
  return `${providerOf(model)}/${upstreamNameOf(model)}`
}

function newEntry({ missing }: Compared, id: string): ModelEntry {
  const model = missing.find((each) => idOf(each) === id)
  if (model === undefined) throw new CliError(`the list has no other model ${id} of a provider of the catalog`)
  const { contextWindow, maxOutputTokens, prices, capabilities } = model
  const { input_per_mtok: input, output_per_mtok: output } = prices
  if (contextWindow === null || maxOutputTokens === null || input === undefined || output === undefined) {
    throw new CliError(`the list does not say prices and sizes of ${id}`)
  }
  return {
    id,
    provider: providerOf(model),
    upstream_model: upstreamNameOf(model),
    kind: 'chat',
    context_window: Math.max(contextWindow, maxOutputTokens),
    max_output_tokens: maxOutputTokens,
    ...prices,
    input_per_mtok: input,
    output_per_mtok: output,
    cached_input_per_mtok: prices.cached_input_per_mtok ?? null,
    capabilities: [...capabilities],
  }
}
