import { z } from 'zod'
import { maxCostUsd } from './criteria.ts'
import { recordOf } from './list-of.ts'
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
  metadata,
})
export type UpdateDedicatedEndpoint = z.output<typeof UpdateDedicatedEndpoint>
