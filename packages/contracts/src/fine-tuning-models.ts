import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** How a model is trained: on answers, or on pairs of a better and a worse answer. */
export const fineTuningMethods = ['supervised', 'dpo'] as const
export type FineTuningMethodName = (typeof fineTuningMethods)[number]
/** Methods of all kinds of training. `grpo` is that of `/v1/grpo/runs`. */
export const trainingMethods = [...fineTuningMethods, 'grpo'] as const

/** What can serve the versions of a model here. */
export const versionServers = ['pool', 'dedicated'] as const
export type VersionServer = (typeof versionServers)[number]

/** A model that can be trained here. */
export const TrainableModel = z.object({
  id: z.string(),
  object: z.literal('trainable_model'),
  methods: z.array(z.enum(trainingMethods)),
  trainers: z.array(z.string()).describe('Trainers of this installation that offer the model.'),
  max_context: z.int().describe('Maximum tokens of an example.'),
  lora_ranks: z.array(z.int()).describe('In ascending order.'),
  full: z.boolean().describe('Whether all weights can be trained.'),
  supports_tools: z.boolean(),
  chat_template_sha256: z.string().nullable().describe("Null: that of the model's own tokenizer."),
  license: z.string(),
  retires_at: z.iso
    .date()
    .nullable()
    .describe('The day on which its provider stops to answer with it. Null: not known.'),
  pricing: z
    .object({
      supervised_per_mtok: z.number().nullable(),
      dpo_per_mtok: z.number().nullable(),
      grpo_train_per_mtok: z.number().nullable(),
      grpo_sample_per_mtok: z.number().nullable().describe('Of tokens that the policy samples.'),
    })
    .describe('USD per million trained tokens. Null for a method that is not offered.'),
  served_by: z
    .array(z.enum(versionServers))
    .describe('What can serve its versions: engines that adapters share, and dedicated endpoints.'),
  capacity: z.object({
    gpus_total: z.int().describe('Jobs that can run at once; of a trainer without GPUs too.'),
    gpus_free: z.int(),
    queue_length: z.int().describe('Queued jobs of all workspaces.'),
    estimated_wait_seconds: z.number().nullable().describe('Null when it is not known.'),
  }),
})
export type TrainableModel = z.infer<typeof TrainableModel>

export const listTrainableModels = endpoint({
  method: 'get',
  path: '/v1/fine_tuning/models',
  summary: 'List the models that can be trained.',
  description: 'Each with the methods, prices and limits of its training, as a plain array.',
  service: 'training',
  permission: 'any',
  reply: z.array(TrainableModel),
  errors: ['unknown_parameter'],
})
