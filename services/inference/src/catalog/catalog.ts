import { createHash } from 'node:crypto'
import {
  type DeploymentEntry,
  type ModelEntry,
  type ProviderEntry,
  type TrainingEntry,
  unitPrices,
} from '@ratchet/contracts/catalog-file'
import type { CheckedCatalog, DatedModel } from '@ratchet/contracts/check-catalog'
import { compileLinearPattern, type TextMatcher } from '@ratchet/contracts/linear-pattern'
import { parseUsd, parseUsdPerMtok } from '@ratchet/contracts/money'
import { createRecentMap } from '@ratchet/service-kit/values/recent-map'
import type { VersionPool } from '../workspace-settings/version-route.ts'
import { maxComparedLength, nearestNames } from './nearest-names.ts'
import { type ProviderQuirks, quirksOf } from './provider-quirks.ts'

/** Prices in pico-dollars per token, exact. */
export interface Rates {
  readonly input: bigint
  /** For prompt tokens that the provider read from its cache. */
  readonly cachedInput: bigint
  /** For prompt tokens that the provider wrote to its cache. */
  readonly cacheWrite: bigint
  /** For prompt tokens that it wrote to a cache with a lifetime of an hour; null when that has no price. */
  readonly cacheWriteLong: bigint | null
  readonly output: bigint
}

export interface RateTier extends Rates {
  /** The tier's prices apply to a request with more prompt tokens than this. */
  readonly abovePromptTokens: number
}

export interface CatalogProvider {
  readonly id: string
  readonly name: string
  readonly adapter: ProviderEntry['adapter']
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly apiKeyEnv: string
  /** Maximum calls in flight from one process to any one of its models; null for the process's own limit. */
  readonly concurrencyMax: number | null
  /** Absent when it is like OpenAI in all of these. */
  readonly quirks?: ProviderQuirks
}

/** One of several places where a model runs. Null means the value of its provider. */
export interface CatalogDeployment {
  readonly id: string
  readonly baseUrl: string | null
  readonly apiKeyEnv: string | null
  readonly upstreamModel: string | null
  readonly weight: number
  readonly concurrencyMax: number | null
}

/** A tool that the provider runs, at a price beside its tokens. */
export interface HostedTool {
  readonly kind: 'search' | 'container'
  readonly perCallNano: bigint
  /** Maximum tokens that one call adds to the prompt. */
  readonly maxResultTokens: number
}

export interface CatalogModel {
  readonly id: string
  readonly provider: string
  readonly upstreamModel: string
  /** Empty when it runs at its provider only. */
  readonly deployments: readonly CatalogDeployment[]
  /** Of a model version that the pool serves: its engines, in place of the provider. */
  readonly pool?: VersionPool
  readonly kind: ModelEntry['kind']
  readonly contextWindow: number
  readonly maxOutputTokens: number
  readonly rates: Rates
  /** In ascending order, and never cheaper than the tier before. */
  readonly tiers: readonly RateTier[]
  readonly perRequestNano: bigint
  readonly perSearchNano: bigint
  /** For each image, character or second of sound, by the kind; 0 for a model that is not priced so. */
  readonly perUnitNano: bigint
  /** By their type in the API of the provider. */
  readonly hostedTools: ReadonlyMap<string, HostedTool>
  /** Prices of service tiers in thousandths of the usual one, by name. */
  readonly serviceTiers: ReadonlyMap<string, bigint>
  readonly capabilities: readonly string[]
  readonly unsupportedParameters: readonly string[]
  /** True when its provider refuses members of messages that are not OpenAI's own. */
  readonly strictMessages: boolean
  /**
   * Where its provider takes the reasoning of earlier answers: in this member of a chat message, or only with a
   * signature (`signed`). Null when it takes none.
   */
  readonly historyReasoning: 'reasoning' | 'reasoning_content' | 'signed' | null
  readonly imageTokensMax: number
  /** Whether its terms allow to train other models on its answers. */
  readonly outputsTrainable: boolean
  /** Null when it cannot be trained. */
  readonly training: TrainingEntry | null
  /** The published prices in USD per million tokens, for display. */
  readonly listPrices: Pick<ModelEntry, 'input_per_mtok' | 'cached_input_per_mtok' | 'output_per_mtok'>
  /** The day on which the price was read, YYYY-MM-DD. */
  readonly asOf: string
  /** Changes whenever the entry does. A request is charged at the version of its hold. */
  readonly priceVersion: string
}

/** The priced models. A model that is not in the catalog is never called. */
export interface Catalog {
  /** All models except families, in the order of their ids. */
  readonly models: readonly CatalogModel[]
  readonly providers: ReadonlyMap<string, CatalogProvider>
  /** A model for each family, whose id is the form of the ids of its members, such as `sim/slow-<ms>`. */
  readonly families: readonly CatalogModel[]
  /** The model with this id, or the member of a family that the id matches. */
  find(id: string): CatalogModel | null
  /** Models with this name after their `<provider>/` prefix. */
  named(name: string): readonly CatalogModel[]
  /** Models that are also known by this name, without their prefix. */
  knownAs(name: string): readonly CatalogModel[]
  /** The ids of models of these providers that are spelled most like a name that the catalog does not have. */
  alike(name: string, providers: ReadonlySet<string>): readonly string[]
}

/**
 * Maximum tokens of an image when the entry has none: those of gpt-4o-mini, the most expensive known model, for its
 * largest image.
 */
const IMAGE_TOKENS_MAX = 50_000

const FAMILY_NAME_MAX = 128

/** Misspelled names whose alike ids are remembered. */
const maxRememberedNames = 1_000

interface Family {
  readonly model: CatalogModel
  readonly matches: TextMatcher
}

/** @param checked a catalog without problems */
export function createCatalog({ providers, models }: Pick<CheckedCatalog, 'providers' | 'models'>): Catalog {
  const byProvider = new Map(providers.map((provider) => [provider.id, provider]))
  const modelOf = (dated: DatedModel) => toModel(dated, byProvider.get(dated.entry.provider))
  const plain = models.filter(({ entry }) => entry.pattern === undefined).map(modelOf)
  const sorted = plain.sort((left, right) => (left.id < right.id ? -1 : 1))
  const byId = new Map(sorted.map((model) => [model.id, model]))
  const byName = Map.groupBy(sorted, ({ id, provider }) => id.slice(provider.length + 1))
  const otherNames = models.flatMap(({ entry }) => (entry.also_known_as ?? []).map((name) => ({ name, id: entry.id })))
  const byOtherName = Map.groupBy(otherNames, ({ name }) => name)
  const families = models.flatMap((dated) => toFamily(dated, modelOf))
  return {
    models: sorted,
    providers: new Map(providers.map((provider) => [provider.id, toProvider(provider)])),
    families: families.map(({ model }) => model),
    find: (id) => byId.get(id) ?? findMember(families, id),
    named: (name) => byName.get(name) ?? [],
    knownAs: (name) => (byOtherName.get(name) ?? []).flatMap(({ id }) => byId.get(id) ?? []),
    alike: createAlike(sorted),
  }
}

function createAlike(models: readonly CatalogModel[]): Catalog['alike'] {
  const remembered = createRecentMap<readonly string[]>(maxRememberedNames)
  return (name, providers) => {
    if (name.length > maxComparedLength) return []
    const key = JSON.stringify([name, ...[...providers].sort()])
    const known = remembered.get(key)
    if (known !== undefined) return known
    const ids = models.filter(({ provider }) => providers.has(provider)).map(({ id }) => id)
    const alike = nearestNames(name, ids)
    remembered.set(key, alike)
    return alike
  }
}

function findMember(families: readonly Family[], id: string): CatalogModel | null {
  if (id.length > FAMILY_NAME_MAX) return null
  const family = families.find(({ matches }) => matches(id))
  return family === undefined ? null : { ...family.model, id, upstreamModel: id }
}

function toFamily(dated: DatedModel, modelOf: (dated: DatedModel) => CatalogModel): Family[] {
  const { pattern } = dated.entry
  return pattern === undefined ? [] : [{ model: modelOf(dated), matches: compileLinearPattern(pattern) }]
}

function toModel({ entry, asOf }: DatedModel, provider: ProviderEntry | undefined): CatalogModel {
  return {
    id: entry.id,
    provider: entry.provider,
    upstreamModel: entry.upstream_model,
    deployments: (entry.deployments ?? []).map(toDeployment),
    kind: entry.kind,
    contextWindow: entry.context_window,
    maxOutputTokens: entry.max_output_tokens,
    rates: toRates(entry),
    tiers: (entry.price_tiers ?? []).map((tier) => ({ ...toRates(tier), abovePromptTokens: tier.above_prompt_tokens })),
    perRequestNano: parseUsd(entry.per_request ?? '0'),
    perSearchNano: parseUsd(entry.per_search ?? '0'),
    perUnitNano: parseUsd(unitPriceOf(entry)),
    hostedTools: new Map(
      Object.entries(entry.hosted_tools ?? {}).map(([type, tool]) => [type, toHostedTool(type, tool)]),
    ),
    serviceTiers: new Map(
      Object.entries(entry.service_tiers ?? {}).map(([name, factor]) => [name, parseUsd(factor) / NANO_PER_THOUSANDTH]),
    ),
    capabilities: entry.capabilities,
    unsupportedParameters: [...(entry.unsupported_parameters ?? []), ...(provider?.unsupported_parameters ?? [])],
    strictMessages: provider?.strict_messages === true,
    historyReasoning: historyReasoningOf(provider),
    imageTokensMax: entry.image_tokens_max ?? IMAGE_TOKENS_MAX,
    outputsTrainable: entry.outputs_trainable ?? provider?.outputs_trainable ?? true,
    training: entry.training ?? null,
    listPrices: {
      input_per_mtok: entry.input_per_mtok,
      cached_input_per_mtok: entry.cached_input_per_mtok,
      output_per_mtok: entry.output_per_mtok,
    },
    asOf,
    priceVersion: versionOf(entry),
  }
}

const NANO_PER_THOUSANDTH = 1_000_000n

function toHostedTool(type: string, tool: NonNullable<ModelEntry['hosted_tools']>[string]): HostedTool {
  return {
    kind: type === 'code_interpreter' ? 'container' : 'search',
    perCallNano: parseUsd(tool.per_call),
    maxResultTokens: tool.max_result_tokens,
  }
}

function historyReasoningOf(provider: ProviderEntry | undefined): CatalogModel['historyReasoning'] {
  if (provider === undefined) return null
  const { adapter, strict_messages: isStrict, history_reasoning: member } = provider
  if (adapter !== 'openai') return 'signed'
  return member ?? (isStrict === true ? null : 'reasoning_content')
}

function unitPriceOf(entry: ModelEntry): string {
  const { kind } = entry
  const isUnit = kind === 'image' || kind === 'speech' || kind === 'transcription'
  return (isUnit ? entry[unitPrices[kind]] : null) ?? '0'
}

type PriceFields = Pick<
  ModelEntry,
  'input_per_mtok' | 'cached_input_per_mtok' | 'cache_write_per_mtok' | 'cache_write_1h_per_mtok' | 'output_per_mtok'
>

function toRates(prices: PriceFields): Rates {
  return {
    input: parseUsdPerMtok(prices.input_per_mtok),
    cachedInput: parseUsdPerMtok(prices.cached_input_per_mtok ?? prices.input_per_mtok),
    cacheWrite: parseUsdPerMtok(prices.cache_write_per_mtok ?? prices.input_per_mtok),
    cacheWriteLong: prices.cache_write_1h_per_mtok ? parseUsdPerMtok(prices.cache_write_1h_per_mtok) : null,
    output: parseUsdPerMtok(prices.output_per_mtok),
  }
}

/** The schema writes fields in a fixed order, so equal entries have equal text. */
function versionOf(entry: ModelEntry): string {
  return createHash('sha256').update(JSON.stringify(entry)).digest('hex').slice(0, 16)
}

function toDeployment(entry: DeploymentEntry): CatalogDeployment {
  return {
    id: entry.id,
    baseUrl: entry.base_url ?? null,
    apiKeyEnv: entry.api_key_env ?? null,
    upstreamModel: entry.upstream_model ?? null,
    weight: entry.weight ?? 1,
    concurrencyMax: entry.max_concurrency ?? null,
  }
}

function toProvider(entry: ProviderEntry): CatalogProvider {
  const { id, name, adapter, base_url, api_key_env, max_concurrency } = entry
  const concurrencyMax = max_concurrency ?? null
  const quirks = quirksOf(entry)
  const plain = { id, name, adapter, baseUrl: base_url, apiKeyEnv: api_key_env, concurrencyMax }
  return Object.keys(quirks).length === 0 ? plain : { ...plain, quirks }
}
