import type { FineTuningMethodName, TrainableModel, VersionServer } from '@ratchet/contracts/fine-tuning-models'
import { fineTuningMethods } from '@ratchet/contracts/fine-tuning-models'
import type { trainableModels } from '@ratchet/contracts/internal-catalog'
import { parseUsd } from '@ratchet/contracts/money'
import type { z } from 'zod'

type CatalogEntry = z.output<(typeof trainableModels)['reply']>['models'][number]

/** A model that trainers of this installation can train. */
export interface BaseModel {
  readonly id: string
  /** Where a trainer finds its weights. */
  readonly source: string
  /** SHA-256 of the weights, in hex. */
  readonly sourceSha256: string | null
  /** At least one. */
  readonly trainers: readonly string[]
  /** Nano-dollars per million trained tokens. A method without a price is not offered. */
  readonly prices: ReadonlyMap<FineTuningMethodName, bigint>
  /** Of GRPO, nano-dollars per million tokens; null when it is not offered. */
  readonly grpo: GrpoPrices | null
  readonly maxContext: number
  /** In ascending order. */
  readonly loraRanks: readonly number[]
  readonly full: boolean
  readonly supportsTools: boolean
  readonly chatTemplateSha256: string | null
  readonly license: string
  /** The day on which its provider stops, such as `2027-01-14`. */
  readonly retiresAt: string | null
  readonly tokensPerSecond: number | null
}

/** Prices of tokens that are trained on, and that the policy samples. */
export interface GrpoPrices {
  readonly trainNanoPerMtok: bigint
  readonly sampleNanoPerMtok: bigint
}

/** Jobs of a trainer that may run at once, and of these the free ones; and queued jobs of a model. */
export interface TrainerCapacity {
  readonly total: number
  readonly free: number
}

/** The models that can be trained here, in the order of their ids. @param trainers those of this installation */
export function baseModelsOf(entries: readonly CatalogEntry[], trainers: ReadonlySet<string>): readonly BaseModel[] {
  return entries
    .map((entry) => baseModelOf(entry, trainers))
    .filter((model) => model.trainers.length > 0)
    .sort((left, right) => (left.id < right.id ? -1 : 1))
}

function baseModelOf(entry: CatalogEntry, trainers: ReadonlySet<string>): BaseModel {
  const { id, upstream_model: upstreamModel, context_window: contextWindow, training } = entry
  const priceTexts = { supervised: training.supervised_per_mtok, dpo: training.dpo_per_mtok }
  return {
    id,
    source: training.source ?? upstreamModel,
    sourceSha256: training.source_sha256 ?? null,
    trainers: training.trainers.filter((name) => trainers.has(name)),
    prices: new Map(
      fineTuningMethods.flatMap((method) => {
        const text = priceTexts[method]
        return text === undefined ? [] : [[method, parseUsd(text)] as const]
      }),
    ),
    grpo: grpoPricesOf(training),
    maxContext: training.max_context ?? contextWindow,
    loraRanks: [...training.lora_ranks].sort((left, right) => left - right),
    full: training.full,
    supportsTools: training.supports_tools,
    chatTemplateSha256: training.chat_template_sha256 ?? null,
    license: training.license,
    retiresAt: training.retires_at ?? null,
    tokensPerSecond: training.tokens_per_second ?? null,
  }
}

/** What to know before a model is trained whose provider has said when it stops. */
export function retirementWarnings({ id, retiresAt }: Pick<BaseModel, 'id' | 'retiresAt'>): readonly string[] {
  if (retiresAt === null) return []
  return [`The provider of ${id} stops to answer with it on ${retiresAt}, and with what was trained from it there.`]
}

function grpoPricesOf({ grpo_train_per_mtok: train, grpo_sample_per_mtok: sample }: CatalogEntry['training']) {
  if (train === undefined || sample === undefined) return null
  return { trainNanoPerMtok: parseUsd(train), sampleNanoPerMtok: parseUsd(sample) }
}

export interface ModelPlaces {
  /** By trainer. */
  readonly capacities: ReadonlyMap<string, TrainerCapacity>
  readonly queueLength: number
  readonly servedBy: readonly VersionServer[]
}

export function trainableModelReply(
  model: BaseModel,
  { capacities, queueLength, servedBy }: ModelPlaces,
): TrainableModel {
  const own = model.trainers.map((name) => capacities.get(name) ?? { total: 0, free: 0 })
  const free = own.reduce((sum, capacity) => sum + capacity.free, 0)
  const price = (method: FineTuningMethodName) => {
    const nano = model.prices.get(method)
    return nano === undefined ? null : Number(nano) / 1e9
  }
  return {
    id: model.id,
    object: 'trainable_model',
    methods: [...model.prices.keys(), ...(model.grpo === null ? [] : (['grpo'] as const))],
    trainers: [...model.trainers],
    max_context: model.maxContext,
    lora_ranks: [...model.loraRanks],
    full: model.full,
    supports_tools: model.supportsTools,
    chat_template_sha256: model.chatTemplateSha256,
    license: model.license,
    retires_at: model.retiresAt,
    pricing: {
      supervised_per_mtok: price('supervised'),
      dpo_per_mtok: price('dpo'),
      grpo_train_per_mtok: model.grpo === null ? null : Number(model.grpo.trainNanoPerMtok) / 1e9,
      grpo_sample_per_mtok: model.grpo === null ? null : Number(model.grpo.sampleNanoPerMtok) / 1e9,
    },
    served_by: [...servedBy],
    capacity: {
      gpus_total: own.reduce((sum, capacity) => sum + capacity.total, 0),
      gpus_free: free,
      queue_length: queueLength,
      estimated_wait_seconds: free > 0 ? 0 : null,
    },
  }
}
