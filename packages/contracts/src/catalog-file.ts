import { z } from 'zod'
import { factor, pricePerMtok, priceUsd } from './catalog-prices.ts'
import { compileLinearPattern } from './linear-pattern.ts'
import { parseUsdPerMtok } from './money.ts'

const TOKENS_MAX = 1_000_000_000

const providerId = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be lower-case letters, digits and dashes')
const modelName = z
  .string()
  .max(128, 'must be at most 128 characters')
  .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII without spaces')

const tokens = z.int().min(0).max(TOKENS_MAX)

/** A tool that the provider runs, beside the tokens of its results. */
const HostedToolEntry = z.strictObject({
  /** For each search, or for each container of a code interpreter. */
  per_call: priceUsd,
  /** Maximum tokens that one call adds to the prompt. */
  max_result_tokens: tokens.min(1),
})

const rates = {
  input_per_mtok: pricePerMtok,
  /** For prompt tokens that the provider read from its cache; null when they cost as much as any other. */
  cached_input_per_mtok: pricePerMtok.nullable(),
  /** For prompt tokens that the provider wrote to its cache; absent when that costs nothing extra. */
  cache_write_per_mtok: pricePerMtok.nullish(),
  /** For tokens that it wrote to a cache with a lifetime of an hour; absent when such caches have no price. */
  cache_write_1h_per_mtok: pricePerMtok.nullish(),
  output_per_mtok: pricePerMtok,
}

export const ProviderEntry = z.strictObject({
  id: providerId,
  name: z.string().min(1),
  /** The API of the provider. `openai` is for every provider with `POST {base_url}/chat/completions`. */
  adapter: z.enum(['openai', 'anthropic', 'google', 'bedrock']),
  base_url: z.url({ protocol: /^https?$/ }).regex(/[^/]$/, 'must not end in a slash'),
  /** Name of the environment variable with the platform's key. */
  api_key_env: z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of an environment variable'),
  /** Maximum calls in flight from one process to any one of its models. */
  max_concurrency: z.int().min(1).optional(),
  /** True when it refuses members of messages that are not OpenAI's own, such as reasoning that a client sends back. */
  strict_messages: z.boolean().optional(),
  /**
   * The member of an earlier answer in which it takes that answer's reasoning; `reasoning_content` unless it has
   * `strict_messages`, else none.
   */
  history_reasoning: z.enum(['reasoning', 'reasoning_content']).optional(),
  /** The header in which it takes the key; `Authorization: Bearer` unless named. Only for the adapter `openai`. */
  api_key_header: z.enum(['api-key', 'x-api-key']).optional(),
  /** The path of its chat completions in place of that of `base_url`, when they are not below it. */
  chat_path: z
    .string()
    .regex(/^\/[a-z0-9/_-]+$/, 'must be a path')
    .optional(),
  /** True when it is called without a key if the platform has none, such as a server on the operator's own machine. */
  api_key_optional: z.boolean().optional(),
  /** True when `base_url` is only an example: it is off until `<ID>_BASE_URL` is set. */
  base_url_required: z.boolean().optional(),
  /** False when its terms forbid training other models on answers, unless an entry of a model differs. True by default. */
  outputs_trainable: z.boolean().optional(),
  /** Body parameters that none of its models supports, in addition to those of each model. */
  unsupported_parameters: z.array(z.string().min(1)).optional(),
})
export type ProviderEntry = z.infer<typeof ProviderEntry>

/** A deployment of a model. A field that is left out has the provider's value. */
export const DeploymentEntry = z.strictObject({
  /** Identifies the deployment among those of the model, in logs and metrics. */
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be lower-case letters, digits and dashes'),
  base_url: z
    .url({ protocol: /^https?$/ })
    .regex(/[^/]$/, 'must not end in a slash')
    .optional(),
  api_key_env: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of an environment variable')
    .optional(),
  upstream_model: modelName.optional(),
  /** Share of the model's traffic, relative to its other deployments. */
  weight: z.number().positive().max(1_000).optional(),
  /** Maximum calls in flight from one process. */
  max_concurrency: z.int().min(1).optional(),
})
export type DeploymentEntry = z.infer<typeof DeploymentEntry>

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits')

/** How a model is trained here. A method without a price is not offered. */
export const TrainingEntry = z
  .strictObject({
    /** Names of the trainers that can train it. */
    trainers: z
      .array(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be lower-case letters, digits and dashes'))
      .min(1),
    /** Where a trainer finds the weights: a folder, or a name that it can load. Absent: the name at the provider. */
    source: z.string().min(1).max(500).optional(),
    /** SHA-256 of the weights, in hex. */
    source_sha256: sha256.optional(),
    /** Per million trained tokens. */
    supervised_per_mtok: pricePerMtok.optional(),
    /** The same for pairs of answers; tokens of both count. */
    dpo_per_mtok: pricePerMtok.optional(),
    /** Of GRPO, per million tokens that are trained on, and that the policy samples. Both or neither. */
    grpo_train_per_mtok: pricePerMtok.optional(),
    grpo_sample_per_mtok: pricePerMtok.optional(),
    /** Maximum tokens of an example; absent: the context window. */
    max_context: tokens.min(1).optional(),
    lora_ranks: z.array(z.literal([1, 8, 16, 32, 64, 128, 256])).min(1),
    /** Whether all weights can be trained. */
    full: z.boolean().default(false),
    supports_tools: z.boolean().default(false),
    chat_template_sha256: sha256.optional(),
    /** An identifier of SPDX, or the name of the licence. */
    license: z.string().min(1).max(100),
    /** The day on which its provider stops answering, with it and with versions that the provider has trained from it. */
    retires_at: z.iso.date().optional(),
    /** Tokens that a trainer reads in a second, for estimates. */
    tokens_per_second: z.number().positive().max(1e9).optional(),
  })
  .refine(
    ({ grpo_train_per_mtok: train, grpo_sample_per_mtok: sample }) => (train === undefined) === (sample === undefined),
    'must have both prices of GRPO or neither',
  )
  .refine(
    (entry) =>
      [entry.supervised_per_mtok, entry.dpo_per_mtok, entry.grpo_train_per_mtok].some((price) => price !== undefined),
    'must have a price',
  )
export type TrainingEntry = z.infer<typeof TrainingEntry>

/** The prices of a request whose prompt is longer than `above_prompt_tokens`. They apply to all of its tokens. */
const PriceTier = z.strictObject({ above_prompt_tokens: tokens.min(1), ...rates })

/** What a model does. Each kind has an endpoint of its own. */
export const modelKinds = ['chat', 'embedding', 'rerank', 'moderation', 'image', 'speech', 'transcription'] as const
export type ModelKind = (typeof modelKinds)[number]

/** The price of what a model makes or hears, by its kind. */
export const unitPrices = {
  image: 'per_image',
  speech: 'per_character',
  transcription: 'per_audio_second',
} as const satisfies Partial<Record<ModelKind, string>>

/** One model with its list price. An entry with `pattern` is a family: every id that matches the pattern is a model. */
export const ModelEntry = z
  .strictObject({
    /** `<provider>/<name>`; for a family a placeholder such as `sim/quality-<q>`. */
    id: modelName,
    /** Other names of the same model at the same price, without the prefix of its provider. */
    also_known_as: z.array(modelName).min(1).max(32).optional(),
    /** A pattern for `compileLinearPattern`, matched against the whole requested id. */
    pattern: z.string().min(1).max(200).superRefine(checkPattern).optional(),
    provider: providerId,
    /** The provider's own name of the model. For a family the requested id is sent instead. */
    upstream_model: modelName,
    kind: z.enum(modelKinds),
    /** Its deployments, when it does not run only at its provider. */
    deployments: z.array(DeploymentEntry).min(1).max(16).optional(),
    /** Maximum tokens of prompt and answer together. */
    context_window: tokens.min(1),
    /** Maximum tokens of one answer, including hidden reasoning; 0 when nothing is generated. */
    max_output_tokens: tokens,
    ...rates,
    /** Higher prices of long prompts, in ascending order. */
    price_tiers: z.array(PriceTier).min(1).optional(),
    per_request: priceUsd.nullish(),
    /** For rerankers: US dollars per search unit. */
    per_search: priceUsd.nullish(),
    /** For models of images, speech and transcriptions: US dollars for each image, character of the text, second of the sound. */
    per_image: priceUsd.nullish(),
    per_character: priceUsd.nullish(),
    per_audio_second: priceUsd.nullish(),
    /** Tools that the provider runs at a price, by their type in its API: a web search or a code interpreter. */
    hosted_tools: z
      .record(z.string().regex(/^(web_search[a-z0-9_]{0,32}|code_interpreter)$/), HostedToolEntry)
      .optional(),
    /** Service tiers at another price, relative to the usual one: `priority`, `flex`, and Anthropic's `fast`. */
    service_tiers: z.record(z.string().regex(/^[a-z]{1,32}$/), factor).optional(),
    capabilities: z.array(z.string().regex(/^[a-z0-9_]+$/)).min(1),
    /** Body parameters that are refused because the model does not support them, or because they change its price. */
    unsupported_parameters: z.array(z.string().min(1)).optional(),
    /** Maximum prompt tokens of one image. */
    image_tokens_max: tokens.min(1).optional(),
    /** Whether its terms allow to train other models on its answers. Absent: as its provider. */
    outputs_trainable: z.boolean().optional(),
    /** Absent: it cannot be trained. */
    training: TrainingEntry.optional(),
  })
  .superRefine((model, context) => {
    for (const { path, message } of contradictions(model)) context.addIssue({ code: 'custom', path, message })
  })
export type ModelEntry = z.infer<typeof ModelEntry>

/** A file of the model catalog, shipped or mounted: providers, models or both. */
export const CatalogFile = z.strictObject({
  /** The day on which the prices were read, YYYY-MM-DD. */
  as_of: z.iso.date(),
  /** The public page that they were read from. */
  source: z.string().min(1),
  providers: z.array(ProviderEntry).optional(),
  models: z.array(ModelEntry).optional(),
})
export type CatalogFile = z.infer<typeof CatalogFile>

interface Contradiction {
  readonly path: (string | number)[]
  readonly message: string
}

type Rates = Pick<ModelEntry, keyof typeof rates>

function* contradictions(model: ModelEntry): Generator<Contradiction> {
  if (!model.id.startsWith(`${model.provider}/`))
    yield { path: ['id'], message: `must start with "${model.provider}/"` }
  if (model.max_output_tokens > model.context_window) {
    yield { path: ['max_output_tokens'], message: 'must not exceed context_window' }
  }
  if (model.kind === 'chat' && model.max_output_tokens === 0) {
    yield { path: ['max_output_tokens'], message: 'must be at least 1 for a chat model' }
  }
  yield* cachedAboveInput(model, [])
  yield* foreignUnits(model)
  if (model.training !== undefined && (model.kind !== 'chat' || model.pattern !== undefined)) {
    yield { path: ['training'], message: 'is only for a chat model that is not a family' }
  }
  if ((model.training?.max_context ?? 0) > model.context_window) {
    yield { path: ['training', 'max_context'], message: 'must not exceed context_window' }
  }
  const deploymentIds = (model.deployments ?? []).map(({ id }) => id)
  if (new Set(deploymentIds).size < deploymentIds.length) yield { path: ['deployments'], message: 'must differ in id' }
  let before: { above: number; rates: Rates } = { above: 0, rates: model }
  for (const [index, tier] of (model.price_tiers ?? []).entries()) {
    const path = ['price_tiers', index]
    if (tier.above_prompt_tokens <= before.above) yield { path, message: 'must be in ascending order' }
    // A hold is taken at the price of the longest possible prompt, so a longer prompt must never be cheaper.
    if (isCheaper(tier, before.rates)) yield { path, message: 'must not be cheaper than shorter prompts' }
    yield* cachedAboveInput(tier, path)
    if (hasLongCaches(model) && !hasLongCaches(tier)) {
      // Without it, caches of an hour would be charged like those of five minutes.
      yield { path: [...path, 'cache_write_1h_per_mtok'], message: 'is required, because shorter prompts have it' }
    }
    before = { above: tier.above_prompt_tokens, rates: tier }
  }
}

function* foreignUnits(model: ModelEntry): Generator<Contradiction> {
  for (const [kind, field] of Object.entries(unitPrices)) {
    if (kind !== model.kind && (model[field] ?? null) !== null) {
      yield { path: [field], message: `is only for models of the kind ${kind}` }
    }
  }
  if (model.kind !== 'speech' && model.kind !== 'transcription') return
  const field = unitPrices[model.kind]
  // Their providers do not report tokens with every answer.
  if ((model[field] ?? null) === null) yield { path: [field], message: `is required for the kind ${model.kind}` }
}

function* cachedAboveInput(entry: Rates, path: (string | number)[]): Generator<Contradiction> {
  if (cachedPrice(entry) > parseUsdPerMtok(entry.input_per_mtok)) {
    yield { path: [...path, 'cached_input_per_mtok'], message: 'must not exceed input_per_mtok' }
  }
}

function hasLongCaches({ cache_write_1h_per_mtok: price }: Rates): boolean {
  return (price ?? null) !== null
}

function isCheaper(tier: Rates, base: Rates): boolean {
  const prices = (entry: Rates) => [
    parseUsdPerMtok(entry.input_per_mtok),
    cachedPrice(entry),
    parseUsdPerMtok(entry.cache_write_per_mtok ?? entry.input_per_mtok),
    parseUsdPerMtok(entry.cache_write_1h_per_mtok ?? entry.input_per_mtok),
    parseUsdPerMtok(entry.output_per_mtok),
  ]
  const before = prices(base)
  return prices(tier).some((price, index) => price < (before[index] ?? 0n))
}

function cachedPrice(entry: Rates): bigint {
  return parseUsdPerMtok(entry.cached_input_per_mtok ?? entry.input_per_mtok)
}

function checkPattern(source: string, context: z.RefinementCtx): void {
  try {
    compileLinearPattern(source)
  } catch (error) {
    context.addIssue({
      code: 'custom',
      message: `is not a valid pattern: ${error instanceof Error ? error.message : error}`,
    })
  }
}
