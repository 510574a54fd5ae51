import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { simulatedCatalog } from '@ratchet/simulated-provider/simulated-catalog'
import { wires } from './matrix.ts'

/** Tokens that are charged. */
export interface Tokens {
  /** Includes cached tokens and tokens written to the cache. */
  readonly prompt: number
  readonly completion: number
  readonly cached?: number
  readonly written?: number
  /** Those that were written to a cache with a lifetime of an hour, not among `written`. */
  readonly writtenLong?: number
  readonly searches?: number
  /** Images, characters or seconds of sound. */
  readonly units?: number
  readonly webSearches?: number
  readonly containers?: number
  readonly tier?: string
}

/** Prices in the form of a catalog: US dollars, per million for tokens. */
interface Prices {
  readonly input_per_mtok: string
  readonly cached_input_per_mtok: string
  readonly cache_write_per_mtok?: string
  readonly cache_write_1h_per_mtok?: string
  readonly output_per_mtok: string
  readonly per_request?: string
  readonly per_search?: string
  readonly per_image?: string
  readonly per_character?: string
  readonly per_audio_second?: string
}

interface Priced extends Prices {
  readonly id: string
  readonly hosted_tools?: Readonly<Record<string, { readonly per_call: string }>>
  readonly service_tiers?: Readonly<Record<string, string>>
  readonly price_tiers?: readonly (Prices & { readonly above_prompt_tokens: number })[]
}

/** The prices of `large`: a difference of one token is at least a micro-dollar. */
const expensive = { input_per_mtok: '2.50', cached_input_per_mtok: '1.25', output_per_mtok: '10.00' }
const long = { input_per_mtok: '3.33', cached_input_per_mtok: '1.31', output_per_mtok: '17.7' }
const free = { input_per_mtok: '0', cached_input_per_mtok: '0', output_per_mtok: '0' }
const chat = {
  kind: 'chat',
  context_window: 128_000,
  max_output_tokens: 16_384,
  capabilities: ['chat', 'streaming', 'tools'],
}
const embedding = { kind: 'embedding', context_window: 8_192, max_output_tokens: 0, capabilities: ['embeddings'] }
const rerank = { kind: 'rerank', context_window: 32_768, max_output_tokens: 0, capabilities: ['rerank'] }
const vectorless = { context_window: 32_768, max_output_tokens: 0 }
const expensiveVectors = { input_per_mtok: '7.77', cached_input_per_mtok: '7.77', output_per_mtok: '0' }

const searchPrice = { per_call: '0.0123', max_result_tokens: 1_000 }
const tiersOfWire: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sim: { priority: '1.737', flex: '0.5' },
  'sim-anthropic': { fast: '2.313' },
}

/** Models with prices that the simulated catalog does not have; each is one of its models under another name. */
const ownModels = [
  ...wires.map((provider) => ({
    ...chat,
    ...expensive,
    id: `${provider}/paced`,
    provider,
    upstream_model: `${provider}/pace-50`,
  })),
  ...wires.flatMap((provider) => {
    const hosted = {
      ...chat,
      ...expensive,
      id: `${provider}/hosted`,
      provider,
      upstream_model: `${provider}/large`,
      capabilities: [...chat.capabilities, 'responses'],
      hosted_tools: {
        web_search: searchPrice,
        web_search_20250305: searchPrice,
        code_interpreter: { per_call: '0.0317', max_result_tokens: 1_000 },
      },
      service_tiers: tiersOfWire[provider] ?? {},
    }
    return [
      hosted,
      { ...hosted, id: `${provider}/hosted-long-sum`, price_tiers: [{ ...long, above_prompt_tokens: 80 }] },
      { ...hosted, id: `${provider}/hosted-long`, price_tiers: [{ ...long, above_prompt_tokens: 4 }] },
    ]
  }),
  ...wires.flatMap((provider) => [
    { ...chat, ...expensive, id: `${provider}/silent`, provider, upstream_model: `${provider}/pace-20000` },
    { ...chat, ...expensive, id: `${provider}/late`, provider, upstream_model: `${provider}/late-0` },
    {
      ...chat,
      ...expensive,
      capabilities: [...chat.capabilities, 'reasoning'],
      id: `${provider}/hidden`,
      provider,
      upstream_model: `${provider}/late-1000`,
    },
  ]),
  {
    ...chat,
    ...expensive,
    id: 'sim-anthropic/cache-writer',
    provider: 'sim-anthropic',
    upstream_model: 'sim-anthropic/large',
    cache_write_per_mtok: '3.137',
    cache_write_1h_per_mtok: '5.273',
  },
  {
    ...chat,
    ...expensive,
    id: 'sim/tiered',
    provider: 'sim',
    upstream_model: 'sim/large',
    price_tiers: [
      { ...long, above_prompt_tokens: 4 },
      { above_prompt_tokens: 1_000, input_per_mtok: '9.00', cached_input_per_mtok: '3.00', output_per_mtok: '27.00' },
    ],
  },
  { ...embedding, ...expensiveVectors, id: 'sim/embed-expensive', provider: 'sim', upstream_model: 'sim/embed' },
  {
    ...embedding,
    ...expensiveVectors,
    id: 'sim-google/embed-expensive',
    provider: 'sim-google',
    upstream_model: 'sim-google/embed',
  },
  {
    ...rerank,
    ...free,
    id: 'sim/rerank-expensive',
    provider: 'sim',
    upstream_model: 'sim/rerank',
    per_request: '0.005',
  },
  {
    ...rerank,
    id: 'sim/rerank-by-token',
    provider: 'sim',
    upstream_model: 'sim/rerank',
    input_per_mtok: '3.37',
    cached_input_per_mtok: '3.37',
    output_per_mtok: '0',
  },
  {
    ...vectorless,
    ...expensiveVectors,
    kind: 'moderation',
    capabilities: ['moderations'],
    id: 'sim/moderate-expensive',
    provider: 'sim',
    upstream_model: 'sim/moderate',
  },
  {
    ...vectorless,
    ...free,
    kind: 'speech',
    capabilities: ['speech'],
    id: 'sim/speech-expensive',
    provider: 'sim',
    upstream_model: 'sim/speech',
    per_character: '0.000137',
  },
  {
    ...vectorless,
    ...free,
    kind: 'transcription',
    capabilities: ['transcriptions'],
    id: 'sim/transcribe-expensive',
    provider: 'sim',
    upstream_model: 'sim/transcribe',
    per_audio_second: '0.00137',
  },
  {
    ...rerank,
    ...free,
    id: 'sim/rerank-by-search',
    provider: 'sim',
    upstream_model: 'sim/rerank',
    per_search: '0.0021',
  },
] satisfies readonly (Priced & Record<string, unknown>)[]

/** Writes the catalog of these models into a new folder, for CATALOG_DIR. */
export async function writeOwnCatalog(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ratchet-prices-'))
  const catalog = { as_of: '2026-11-21', source: 'test-e2e/billing-matrix/prices.ts', models: ownModels }
  await writeFile(path.join(folder, 'own.json'), JSON.stringify(catalog))
  return folder
}

/** Cost of tokens of a model in nano-dollars: an exact sum that is rounded up once to a micro-dollar. */
export function chargeOf(model: string, tokens: Tokens): bigint {
  const { prompt, completion, cached = 0, written = 0, writtenLong = 0, searches = 0 } = tokens
  const entry = entryOf(model)
  // The simulated provider reads the same prompt again after each call.
  const round = prompt / (1 + (tokens.webSearches ?? 0) + (tokens.containers ?? 0))
  const rates = entry.price_tiers?.findLast((tier) => round > tier.above_prompt_tokens) ?? entry
  const writePrice = rates.cache_write_per_mtok ?? rates.input_per_mtok
  const tokenPico =
    BigInt(prompt - cached - written - writtenLong) * millionths(rates.input_per_mtok) +
    BigInt(cached) * millionths(rates.cached_input_per_mtok) +
    BigInt(written) * millionths(writePrice) +
    BigInt(writtenLong) * millionths(rates.cache_write_1h_per_mtok ?? writePrice) +
    BigInt(completion) * millionths(rates.output_per_mtok)
  const factor = millionths(entry.service_tiers?.[tokens.tier ?? ''] ?? '1')
  const callsMicro =
    millionths(entry.per_request ?? '0') +
    millionths(entry.per_search ?? '0') * BigInt(searches) +
    millionths(entry.per_image ?? entry.per_character ?? entry.per_audio_second ?? '0') * BigInt(tokens.units ?? 0) +
    millionths(entry.hosted_tools?.web_search?.per_call ?? '0') * BigInt(tokens.webSearches ?? 0) +
    millionths(entry.hosted_tools?.code_interpreter?.per_call ?? '0') * BigInt(tokens.containers ?? 0)
  const scaled = tokenPico * factor
  const micro = scaled / 10n ** 12n + (scaled % 10n ** 12n === 0n ? 0n : 1n) + callsMicro
  return micro * 1_000n
}

function entryOf(model: string): Priced {
  const own = ownModels.find(({ id }) => id === model)
  const simulated = simulatedCatalog.find(({ id, pattern }) => id === model || new RegExp(pattern ?? '^$').test(model))
  const found = own ?? simulated
  if (found === undefined) throw new Error(`${model} has no price`)
  return found
}

/** `'0.137'` → 137,000: pico-dollars per token for a price per million, or micro-dollars for an amount. */
function millionths(usd: string): bigint {
  return BigInt(Math.round(Number(usd) * 1e6))
}
