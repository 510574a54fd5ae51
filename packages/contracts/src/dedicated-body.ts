import { z } from 'zod'
import { maxCostUsd } from './criteria.ts'
import { listOf, recordOf } from './list-of.ts'
import { storable } from './storable.ts'

/** How the weights of an engine are stored. `auto`: as the engine chooses. */
export const enginePrecisions = ['auto', 'bf16', 'fp8'] as const

/** Most replicas of an endpoint. */
export const maxReplicas = 16

const word = storable(z.string().min(1).max(200))
const name = storable(z.string().trim().min(1).max(64))
const metadata = recordOf(storable(z.string().min(1).max(64)), storable(z.string().max(512)))
  .refine((pairs) => Object.keys(pairs).length <= 16, 'This must have at most 16 pairs.')
  .nullish()

/** Most adapters of an endpoint, whatever its hardware takes. */
export const maxEndpointAdapters = 256

/** A version that an endpoint answers as, under a routing key of its own. */
export const DedicatedAdapter = z.strictObject({
  modelVersionId: word.describe('A version of the same base model.'),
  routingKey: z
    .string()
    .regex(/^[a-z0-9-]{3,40}$/, 'This must be 3 to 40 lower-case letters, digits and dashes.')
    .nullish()
    .describe('By default made of the suffix of the version. One that the workspace has, or had before, is refused.'),
})

const adapters = listOf(DedicatedAdapter)
  .max(maxEndpointAdapters)
  .refine(
    (list) => new Set(list.map(({ modelVersionId }) => modelVersionId)).size === list.length,
    'This names a version twice.',
  )

const changeable = {
  minReplicas: z.int().min(0).max(maxReplicas).describe('Replicas that run also when nobody asks.'),
  maxReplicas: z.int().min(1).max(maxReplicas),
  scaleToZeroAfterSeconds: z
    .int()
    .min(300)
    .max(86_400)
    .nullable()
    .describe(
      'Seconds without a request after which all replicas end, when `minReplicas` is 0. Null: one always runs.',
    ),
  scaleUpWindowSeconds: z
    .int()
    .min(0)
    .max(3_600)
    .describe('Seconds of more requests than the replicas are for, after which replicas are added.'),
  scaleDownWindowSeconds: z.int().min(0).max(86_400).describe('Seconds of fewer requests, after which replicas end.'),
  targetConcurrency: z.int().min(1).max(1_024).describe('Requests at the same time that a replica is for.'),
  maxHourlyCostUsd: maxCostUsd
    .nullable()
    .describe('The endpoint stops when its cost of the last hour would exceed this. Null: only the wallet limits it.'),
  draining: z
    .int()
    .min(0)
    .max(600)
    .describe('Seconds in which a replica that ends may finish its requests. They are charged.'),
}

export const CreateDedicatedEndpoint = z.strictObject({
  name,
  model: word
    .nullish()
    .describe('A model of `GET /v1/fine_tuning/models`, whose weights this installation has. Or `modelVersionId`.'),
  modelVersionId: word.nullish().describe('A model version with an adapter: its base is served with it.'),
  hardware: word.describe('An id of `GET /v1/dedicated/hardware`.'),
  minReplicas: changeable.minReplicas.default(0),
  maxReplicas: changeable.maxReplicas.default(1),
  scaleToZeroAfterSeconds: changeable.scaleToZeroAfterSeconds.default(3_600),
  scaleUpWindowSeconds: changeable.scaleUpWindowSeconds.default(30),
  scaleDownWindowSeconds: changeable.scaleDownWindowSeconds.default(600),
  targetConcurrency: changeable.targetConcurrency.default(8),
  maxHourlyCostUsd: changeable.maxHourlyCostUsd.default(null),
  maxContextLength: z
    .int()
    .min(256)
    .max(10_000_000)
    .nullish()
    .describe('Tokens of prompt and answer together. By default the maximum of the model on this hardware.'),
  precision: z.enum(enginePrecisions).default('auto'),
  draining: changeable.draining.default(600),
  adapters: adapters
    .nullish()
    .describe(
      'Versions that its replicas answer as too. Without the field its engines take no adapters, and none can be added; with an empty list they do.',
    ),
  metadata,
})
export type CreateDedicatedEndpoint = z.output<typeof CreateDedicatedEndpoint>

/** Fields that are decided when an endpoint is created. */
export const immutableFields = ['model', 'modelVersionId', 'hardware', 'maxContextLength', 'precision'] as const

export const UpdateDedicatedEndpoint = z.strictObject({
  name: name.optional(),
  minReplicas: changeable.minReplicas.optional(),
  maxReplicas: changeable.maxReplicas.optional(),
  scaleToZeroAfterSeconds: changeable.scaleToZeroAfterSeconds.optional(),
  scaleUpWindowSeconds: changeable.scaleUpWindowSeconds.optional(),
  scaleDownWindowSeconds: changeable.scaleDownWindowSeconds.optional(),
  targetConcurrency: changeable.targetConcurrency.optional(),
  maxHourlyCostUsd: changeable.maxHourlyCostUsd.optional(),
  draining: changeable.draining.optional(),
  adapters: adapters
    .optional()
    .describe(
      'All that it has from then on. One that stays keeps its routing key; that of one that leaves is never used again.',
    ),
  metadata,
})
export type UpdateDedicatedEndpoint = z.output<typeof UpdateDedicatedEndpoint>
