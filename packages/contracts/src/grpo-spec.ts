import { z } from 'zod'
import { Sha256, TrainerFile, TrainerLimits, TrainerSpec, TrainerStep, trainerProtocolVersion } from './trainer-spec.ts'
import { TrainerTool } from './trainer-tool.ts'

/** How the loss is formed from advantages, as TRL names it. */
export const grpoLosses = ['grpo', 'dr_grpo', 'dapo', 'gspo'] as const

export const GrpoTrainerHyperparameters = z.object({
  group_size: z.int().min(2).describe('Answers to one prompt of a step.'),
  prompts_per_step: z.int().min(1).describe('Groups that a step trains on, at most.'),
  max_steps: z.int().min(1),
  learning_rate: z.number().positive(),
  kl_beta: z.number().min(0).describe('Weight of the divergence from the policy before step 1.'),
  lora_rank: z.int().min(1),
  lora_alpha: z.number().positive(),
  temperature: z.number().min(0),
  top_p: z.number().positive().max(1),
  max_output_tokens: z.int().min(1).describe('Of one answer.'),
  max_context_length: z.int().min(1).describe('Tokens of a prompt and its answer.'),
  loss_method: z.enum(grpoLosses),
  mask_truncated: z.boolean().describe('Whether answers that reached `max_output_tokens` are left out of the loss.'),
  importance_cap: z.number().positive().describe('Maximum of the importance weight of a token.'),
})
export type GrpoTrainerHyperparameters = z.infer<typeof GrpoTrainerHyperparameters>

/** GET /spec of a GRPO run. Prompts, groups and when to save come with each step. */
export const GrpoSpec = z.object({
  ...TrainerSpec.pick({ job_id: true, attempt: true, base_model: true, chat_template: true, seed: true, probes: true })
    .shape,
  protocol: z.literal(trainerProtocolVersion),
  kind: z.literal('grpo'),
  hyperparameters: GrpoTrainerHyperparameters,
  /** A fingerprint of the prompts: the same in every attempt. */
  prompts_sha256: Sha256,
  environment: z
    .object({
      tools: z.array(TrainerTool).describe('As `tools` of every group has them.'),
      max_turns: z.int().min(1).describe('Messages of the model with calls of tools, before its last message.'),
    })
    .nullable()
    .describe('Tools that the model may call. The fleet calls them: see `trainer-tools.ts`. Null: none.'),
  plan: z.object({ total_steps: z.int().min(1).describe('Steps of the optimiser; step 1 is the first.') }),
  resume: z
    .object({
      step: TrainerStep,
      files: z
        .array(TrainerFile)
        .describe('Those of the last durable checkpoint, under the names they were stored with.'),
    })
    .nullable()
    .describe('Null: begin with the look at step 0.'),
  warm_start: z.array(TrainerFile).nullable().describe('Files of the adapter that a run without `resume` begins with.'),
  limits: TrainerLimits,
})
export type GrpoSpec = z.infer<typeof GrpoSpec>

/** GET /spec: `kind` says which one it is. */
export const AnyTrainerSpec = z.discriminatedUnion('kind', [TrainerSpec, GrpoSpec])
export type AnyTrainerSpec = z.infer<typeof AnyTrainerSpec>
