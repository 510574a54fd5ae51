import { z } from 'zod'

/** Version of the trainer protocol. It is part of every path. */
export const trainerProtocolVersion = 1

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
export const TrainerStep = z.int().min(0).max(10_000_000)

/** A file that the trainer reads. */
export const TrainerFile = z.object({
  name: z.string(),
  sha256: Sha256,
  bytes: z.int().min(0),
  url: z.string().describe('Where GET returns the bytes, see the protocol. It needs no token and expires.'),
})
export type TrainerFile = z.infer<typeof TrainerFile>

/** Lines of JSON, one training example each, in the order of the dataset. */
export const TrainerDataset = z.object({
  format: z
    .enum(['chat', 'preference'])
    .describe('`chat`: `{messages, tools?}`. `preference`: `{input, preferred_output, non_preferred_output}`.'),
  sha256: Sha256,
  bytes: z.int().min(0),
  examples: z.int().min(0),
  url: z.string(),
})
export type TrainerDataset = z.infer<typeof TrainerDataset>

export const TrainerHyperparameters = z.object({
  n_epochs: z.int().min(1),
  batch_size: z.int().min(1).describe('Sequences per step of the optimiser. How they are split is up to the trainer.'),
  learning_rate: z.number().positive(),
  lora_rank: z.int().min(1).nullable().describe('Null: all weights are trained.'),
  lora_alpha: z.number().positive().nullable(),
  beta: z.number().positive().nullable().describe('DPO only.'),
  max_sequence_length: z.int().min(1),
  on_too_long: z.enum(['drop', 'truncate_left', 'fail']),
  early_stopping_patience: z.int().min(1).nullable(),
})
export type TrainerHyperparameters = z.infer<typeof TrainerHyperparameters>

/** How far the job goes, and when it must be saved. */
export const TrainerPlan = z.object({
  total_steps: z.int().min(1).describe('Steps of the optimiser; step 1 is the first. A trainer may need fewer.'),
  total_tokens: z.int().min(0).describe('Tokens of all used examples times epochs. Nothing beyond it is charged.'),
  servable_steps: z
    .array(z.int().min(1))
    .describe('Steps whose checkpoint customers see, in order. The last one is `total_steps`.'),
  save_every_steps: z.int().min(1).describe('A checkpoint at least this often, also where it is only for resuming.'),
  save_every_seconds: z.int().min(1),
})
export type TrainerPlan = z.infer<typeof TrainerPlan>

export const TrainerLimits = z.object({
  heartbeat_seconds: z.number().positive(),
  lease_seconds: z.number().positive().describe('Without a heartbeat for this long, another attempt is started.'),
  grace_seconds: z.number().positive().describe('Time for a checkpoint after a command to stop.'),
  max_files: z.int().min(1).describe('Of a checkpoint.'),
  max_file_bytes: z.int().min(1),
  max_checkpoint_bytes: z.int().min(1),
  max_events: z.int().min(1).describe('Items of one call.'),
})

/** GET /spec: everything that an attempt needs. The same for every attempt of a job, but for `attempt`, `resume` and URLs. */
export const TrainerSpec = z.object({
  protocol: z.literal(trainerProtocolVersion),
  job_id: z.string(),
  attempt: z.int().min(1).describe('The generation of the attempt. Later attempts have higher ones.'),
  kind: z.enum(['supervised', 'dpo']),
  base_model: z.object({
    id: z.string().describe("The catalog's name."),
    source: z.string().describe('A folder or a name that the trainer can load, from the catalog.'),
    sha256: Sha256.nullable(),
    chat_template_sha256: Sha256.nullable()
      .default(null)
      .describe(
        'Hash of the template that the model must be trained with. Null: that of its tokenizer, whatever it is.',
      ),
  }),
  chat_template: z
    .object({ text: z.string(), sha256: Sha256 })
    .nullable()
    .describe("Null: the template of the base model's tokenizer."),
  hyperparameters: TrainerHyperparameters,
  seed: z.int().min(0).max(2_147_483_647),
  dataset: TrainerDataset,
  validation: TrainerDataset.nullable(),
  plan: TrainerPlan,
  resume: z
    .object({
      step: TrainerStep,
      trained_tokens: z.int().min(0),
      files: z
        .array(TrainerFile)
        .describe('Those of the last durable checkpoint, under the names they were stored with.'),
    })
    .nullable()
    .describe('Null: begin at step 0.'),
  warm_start: z.array(TrainerFile).nullable().describe('Files of the adapter that a job without `resume` begins with.'),
  limits: TrainerLimits,
  probes: z.array(z.string()).describe('User turns of one message each, for the fingerprint.'),
})
export type TrainerSpec = z.infer<typeof TrainerSpec>
