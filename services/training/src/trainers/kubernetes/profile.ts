import { z } from 'zod'

const Quantity = z.string().regex(/^\d+(\.\d+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$/, 'must be a quantity such as 2, 500m or 16Gi')

/** What pods of trainers are like: a JSON file of the operator. */
export const TrainerProfile = z.strictObject({
  /** Each attempt is one Job of `batch/v1` with one pod. */
  launcher: z.literal('job'),
  image: z.string().min(1),
  /** Where pods reach the API of training; absent: as the worker does. */
  training_url: z.url({ protocol: /^https?$/ }).optional(),
  /** The program and its arguments; absent: the one of the image. */
  command: z.array(z.string()).min(1).optional(),
  /** For each pod, as requests and limits: such as `cpu`, `memory` and `nvidia.com/gpu`. */
  resources: z.record(z.string(), Quantity).refine(({ cpu, memory }) => cpu !== undefined && memory !== undefined, {
    message: 'must have cpu and memory',
  }),
  node_selector: z.record(z.string(), z.string()).default({}),
  tolerations: z
    .array(
      z.strictObject({
        key: z.string().optional(),
        operator: z.enum(['Exists', 'Equal']).optional(),
        value: z.string().optional(),
        effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
      }),
    )
    .default([]),
  /** Variables of the program. */
  environment: z.record(z.string(), z.string()).default({}),
  /** Size of the volume for temporary files: the examples, weights that are downloaded, and checkpoints. */
  scratch: Quantity.default('50Gi'),
  /** After which a pod is ended, whatever it does. */
  max_seconds: z.int().min(60).default(604_800),
})
export type TrainerProfile = z.output<typeof TrainerProfile>
