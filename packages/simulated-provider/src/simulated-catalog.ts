/** One priced model, or one family of models, of the simulated provider. */
export interface SimulatedCatalogEntry {
  /** The model id, or for a family a placeholder such as `sim/quality-<q>`. */
  id: string
  /** For a family: an anchored regular expression that its ids match. */
  pattern?: string
  /** The name that is sent upstream; for a family the requested id itself. */
  upstream_model: string
  /** Tokens. */
  context_window: number
  max_output_tokens: number
  /** US dollars per million tokens, as decimal strings, because money is never a floating point number. */
  input_per_mtok: string
  cached_input_per_mtok: string
  /** For an API with caches that have a lifetime of an hour: twice the price of input, as with Anthropic. */
  cache_write_1h_per_mtok?: string
  output_per_mtok: string
  /** US dollars per request, when a model is priced per request. */
  per_request?: string
  /** US dollars for each image, for each character that is spoken, and for each second of sound that is transcribed. */
  per_image?: string
  per_character?: string
  per_audio_second?: string
  capabilities: readonly string[]
  /** For a model that the simulated trainer can train. */
  training?: typeof training
}

/** Any price will do; DPO reads two answers to each prompt. */
const training = {
  trainers: ['sim'],
  supervised_per_mtok: '0.80',
  dpo_per_mtok: '1.60',
  grpo_train_per_mtok: '2.40',
  grpo_sample_per_mtok: '0.80',
  max_context: 32_768,
  lora_ranks: [1, 8, 16, 32, 64],
  full: false,
  supports_tools: true,
  license: 'Apache-2.0',
  tokens_per_second: 50_000,
} as const

/** The simulated providers, by the prefix of their models' ids: OpenAI's API, and one for each other API. */
export const simulatedProviders = ['sim', 'sim-anthropic', 'sim-google', 'sim-bedrock'] as const
export type SimulatedProviderId = (typeof simulatedProviders)[number]

interface Row {
  /** The id without its prefix. */
  name: string
  /** The part of a family's ids after the prefix. */
  pattern?: string
  prices: readonly [input: string, cachedInput: string, output: string]
  capabilities?: readonly string[]
  contextWindow?: number
  maxOutputTokens?: number
  perRequest?: string
  /** The price of what the model makes or hears, beside its tokens. */
  perUnit?: Pick<SimulatedCatalogEntry, 'per_image' | 'per_character' | 'per_audio_second'>
  /** The only provider that offers it. */
  only?: SimulatedProviderId
  /** A capability of the provider's other models that it does not have. */
  lacks?: string
  /** True when it reports reasoning on OpenAI's API. */
  thinks?: true
  /** True when it can be trained, from OpenAI's API. */
  learns?: true
}

const chat = ['chat', 'streaming', 'tools', 'json_object', 'json_schema', 'vision', 'logprobs'] as const
const share = '(0(\\.\\d{1,6})?|1(\\.0{1,6})?)'
const amount = '\\d{1,7}'
const modest = ['0.10', '0.05', '0.40'] as const

const rows: readonly Row[] = [
  { name: 'large', prices: ['2.50', '1.25', '10.00'] },
  { name: 'medium', prices: ['0.50', '0.25', '1.50'], learns: true },
  { name: 'small', prices: modest, learns: true },
  { name: 'quality-<q>', pattern: `quality-${share}`, prices: ['0.50', '0.25', '1.50'] },
  { name: 'echo', prices: ['1.00', '0.50', '2.00'], contextWindow: 4_000_000, maxOutputTokens: 262_144 },
  { name: 'tools', prices: ['0.50', '0.25', '1.50'] },
  { name: 'gemini-3-tools', prices: modest, only: 'sim-google' },
  { name: 'budget-tools', prices: modest, only: 'sim-anthropic', lacks: 'adaptive_thinking' },
  { name: 'judge', prices: ['0.15', '0.075', '0.60'] },
  { name: 'judge-<tpr>-<tnr>', pattern: `judge-${share}-${share}`, prices: ['0.15', '0.075', '0.60'] },
  { name: 'judge-first', prices: ['0.15', '0.075', '0.60'] },
  { name: 'judge-first-<share>', pattern: `judge-first-${share}`, prices: ['0.15', '0.075', '0.60'] },
  { name: 'judge-broken', prices: ['0.15', '0.075', '0.60'] },
  { name: 'judge-gullible', prices: ['0.15', '0.075', '0.60'] },
  { name: 'embed', prices: ['0.02', '0.02', '0'], capabilities: ['embeddings'], contextWindow: 8_192 },
  { name: 'rerank', prices: ['0', '0', '0'], capabilities: ['rerank'], contextWindow: 32_768, perRequest: '0.001' },
  { name: 'moderate', prices: ['0.10', '0.10', '0'], capabilities: ['moderations'], contextWindow: 32_768 },
  {
    name: 'image',
    prices: ['5.00', '5.00', '40.00'],
    capabilities: ['images'],
    contextWindow: 32_768,
    maxOutputTokens: 6_240,
  },
  { name: 'image-flat', ...ofUnits('images', { per_image: '0.04' }) },
  { name: 'speech', ...ofUnits('speech', { per_character: '0.000015' }) },
  { name: 'transcribe', ...ofUnits('transcriptions', { per_audio_second: '0.0001' }) },
  { name: 'fail-<status>', pattern: 'fail-[45]\\d\\d', prices: modest },
  { name: 'fail-<status>-<k>', pattern: 'fail-[45]\\d\\d-[1-9]\\d{0,3}', prices: modest },
  { name: 'slow-<ms>', pattern: `slow-${amount}`, prices: modest },
  { name: 'pace-<ms>', pattern: `pace-${amount}`, prices: modest },
  { name: 'cut-<bytes>', pattern: `cut-${amount}`, prices: modest },
  { name: 'stall-<bytes>', pattern: `stall-${amount}`, prices: modest },
  { name: 'cached-<tokens>', pattern: `cached-${amount}`, prices: modest },
  { name: 'recall', prices: modest },
  { name: 'reasoning-<tokens>', pattern: `reasoning-${amount}`, prices: modest, thinks: true },
  { name: 'late-<tokens>', pattern: `late-${amount}`, prices: modest, thinks: true },
  { name: 'hangup', prices: modest },
  { name: 'malformed', prices: modest },
  { name: 'errorframe', prices: modest },
  { name: 'errorfirst', prices: modest },
  { name: 'no-usage', prices: modest },
  { name: 'zero-usage', prices: modest },
  { name: 'early-usage', prices: modest },
]

/** A model without a price per token. */
function ofUnits(
  capability: string,
  perUnit: NonNullable<Row['perUnit']>,
): Pick<Row, 'prices' | 'capabilities'> & Partial<Row> {
  return { prices: ['0', '0', '0'], capabilities: [capability], contextWindow: 32_768, perUnit }
}

const otherKinds = ['embeddings', 'rerank', 'moderations', 'images', 'speech', 'transcriptions']

/** The models that each provider offers: not every API has embeddings and rerank, or all options of a chat. */
const offers: Readonly<Record<SimulatedProviderId, { kinds: readonly string[]; chat: readonly string[] }>> = {
  sim: { kinds: ['chat', ...otherKinds], chat: [...chat, 'responses'] },
  'sim-anthropic': {
    kinds: ['chat'],
    chat: [...chat.filter((name) => name !== 'json_object' && name !== 'logprobs'), 'adaptive_thinking'],
  },
  'sim-google': { kinds: ['chat', 'embeddings'], chat: chat.filter((name) => name !== 'logprobs') },
  'sim-bedrock': { kinds: ['chat'], chat: chat.filter((name) => name !== 'json_object' && name !== 'logprobs') },
}

/** Every model of the simulated provider with its prices, in the format of a model catalog. */
export const simulatedCatalog: readonly SimulatedCatalogEntry[] = simulatedProviders.flatMap((provider) =>
  rows
    .filter(({ only = provider }) => only === provider)
    .filter(({ capabilities = chat }) => offers[provider].kinds.some((kind) => capabilities.includes(kind)))
    .map((row) => entryOf(provider, row)),
)

function entryOf(provider: SimulatedProviderId, row: Row): SimulatedCatalogEntry {
  const id = `${provider}/${row.name}`
  return {
    id,
    ...(row.pattern === undefined ? {} : { pattern: `^${provider}/${row.pattern}$` }),
    upstream_model: id,
    context_window: row.contextWindow ?? 128_000,
    max_output_tokens: row.maxOutputTokens ?? (row.capabilities === undefined ? 16_384 : 0),
    input_per_mtok: row.prices[0],
    cached_input_per_mtok: row.prices[1],
    ...(provider === 'sim-anthropic' ? { cache_write_1h_per_mtok: twice(row.prices[0]) } : {}),
    output_per_mtok: row.prices[2],
    ...(row.perRequest === undefined ? {} : { per_request: row.perRequest }),
    ...row.perUnit,
    capabilities: capabilitiesOf(provider, row),
    ...(row.learns === true && provider === 'sim' ? { training } : {}),
  }
}

function twice(price: string): string {
  return (2 * Number(price)).toFixed(2)
}

function capabilitiesOf(provider: SimulatedProviderId, { capabilities, lacks, thinks }: Row): readonly string[] {
  const offered = (capabilities ?? offers[provider].chat).filter((name) => name !== lacks)
  return thinks === true && provider === 'sim' ? [...offered, 'reasoning'] : offered
}
