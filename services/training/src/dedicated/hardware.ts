import { parseUsd } from '@ratchet/contracts/money'
import { z } from 'zod'

const Kind = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/),
  /** Null: it has none. */
  gpu: z.string().min(1).max(100).nullable().default(null),
  gpu_count: z.int().min(0).max(64).default(0),
  gpu_memory_gb: z.number().min(0).max(100_000).default(0),
  /** US dollars, with at most nine digits after the point. */
  price_usd_per_hour: z.string().regex(/^\d{1,6}(\.\d{1,9})?$/),
  /** Replicas at once, of all workspaces. */
  slots: z.int().min(0).max(10_000),
  /** Catalog ids of the models that run on it; absent: all that this installation has weights of. */
  models: z.array(z.string().min(1).max(200)).min(1).optional(),
  /** Adapters that an endpoint on it may have, beside the version that it serves. */
  max_adapters: z.int().min(0).max(256).default(16),
  /** Maximum tokens of prompt and answer on it; absent: those of the model. */
  max_context: z.int().min(1).optional(),
})

/** A kind of machine that replicas run on. */
export interface Hardware {
  readonly id: string
  readonly gpu: string | null
  readonly gpuCount: number
  readonly gpuMemoryGb: number
  readonly priceNanoPerHour: bigint
  readonly slots: number
  readonly models: ReadonlySet<string> | null
  readonly maxAdapters: number
  readonly maxContext: number | null
}

/** The kinds of machines of an installation, as JSON. */
export const HardwareList = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      context.addIssue({ code: 'custom', message: 'This must be JSON.' })
      return z.NEVER
    }
  })
  .pipe(z.array(Kind).max(50))
  .refine((kinds) => new Set(kinds.map(({ id }) => id)).size === kinds.length, 'This must name each id once.')
  .transform((kinds) => kinds.map(hardwareOf))

function hardwareOf(kind: z.output<typeof Kind>): Hardware {
  return {
    id: kind.id,
    gpu: kind.gpu,
    gpuCount: kind.gpu_count,
    gpuMemoryGb: kind.gpu_memory_gb,
    priceNanoPerHour: parseUsd(kind.price_usd_per_hour),
    slots: kind.slots,
    models: kind.models === undefined ? null : new Set(kind.models),
    maxAdapters: kind.max_adapters,
    maxContext: kind.max_context ?? null,
  }
}

/** Whether a model runs on it. */
export function fits({ models }: Hardware, modelId: string): boolean {
  return models === null || models.has(modelId)
}

/** Maximum tokens of prompt and answer of a model on it. */
export function maxContextOf({ maxContext }: Hardware, model: { readonly maxContext: number }): number {
  return Math.min(model.maxContext, maxContext ?? model.maxContext)
}
