import { z } from 'zod'
import { mebibyte } from './byte-sizes.ts'
import { AnyTrainerSpec } from './grpo-spec.ts'
import { storable } from './storable.ts'
import { Sha256, TrainerPlan, TrainerStep, trainerProtocolVersion } from './trainer-spec.ts'

/**
 * What a trainer and the service `training` say to each other. A trainer may be written in any language: it is started
 * with two variables, `RATCHET_TRAINER_URL` (such as `http://training:8094`) and `RATCHET_JOB_TOKEN`, and sends the token
 * as `Authorization: Bearer …` with every call of this file. Bodies and answers are JSON in snake_case; unknown keys of an
 * answer must be ignored, unknown keys of a body are refused.
 *
 * An attempt: GET spec → load the resume files, if any → read the data, and POST data until it is covered → train, with a
 * heartbeat every `limits.heartbeat_seconds` beside it → events, checkpoints → fingerprint → result, exit 0. A heartbeat's
 * answer may ask for something else: see {@link TrainerCommand}. Every call may be repeated after a lost answer. A spec of the
 * kind `grpo` is of a run, whose steps are in `grpo-protocol.ts`; an attempt trains it with the same other calls, but `data`.
 *
 * URLs of files, to GET or PUT, need no token. They are absolute, or relative to `RATCHET_TRAINER_URL` (RFC 3986), and expire
 * after about an hour: GET spec, or begin the checkpoint, again for fresh ones. A PUT has a `Content-Length`.
 *
 * Errors have the envelope of the public API, with a code of {@link trainerErrors} or of the public catalog. A 409
 * `attempt_superseded` means that another attempt runs: stop at once and exit 0. 429 and 5xx: retry with a growing delay
 * until the lease has ended, then exit 1. Any other 4xx: the trainer is wrong; report a failure and exit 1.
 */

/** The variables that a trainer is started with. */
export const trainerVariables = { url: 'RATCHET_TRAINER_URL', token: 'RATCHET_JOB_TOKEN' } as const

/** Exit codes of a trainer. Every other code counts as an attempt that was lost. */
export const trainerExits = {
  /** The result is accepted, the failure is reported, or the attempt is superseded. */
  done: 0,
  /** It stopped because it was asked to (pause, cancel, SIGTERM), after a checkpoint. It does not count. */
  stopped: 75,
} as const

/** Errors of this protocol alone, beside those of the public catalog. */
export const trainerErrors = {
  /** The token is missing, forged or expired. */
  invalid_job_token: { status: 401, type: 'invalid_request_error' },
  /** The job goes on in another attempt, or has ended. */
  attempt_superseded: { status: 409, type: 'invalid_request_error' },
  /** Files of the manifest are missing in the store, or have other bytes. `details.files` names them: upload them again. */
  checkpoint_incomplete: { status: 409, type: 'invalid_request_error' },
  /** A file of the manifest may not be stored: its name, size, header or tensors. `details.files` says why. */
  invalid_artifact: { status: 400, type: 'invalid_request_error' },
} as const
export type TrainerErrorCode = keyof typeof trainerErrors

/** One call of a trainer. */
export interface TrainerCall<Body extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  readonly method: 'get' | 'post'
  readonly path: string
  readonly maxBodyBytes: number
  readonly body: Body
  readonly reply: Reply
}

const prefix = `/internal/trainer/v${trainerProtocolVersion}`
const NoBody = z.strictObject({})

/** Names of metrics of a step, in one call and after several. Further ones are not stored. */
export const maxMetrics = 64

/** What `JSON.stringify` and PostgreSQL both can store: finite numbers only. NaN and Infinity are sent as null. */
const MetricValues = z.record(storable(z.string().max(64)), z.number().nullable()).refine((values) => {
  return Object.keys(values).length <= maxMetrics
}, 'At most 64 values.')

export const trainerPhases = ['preparing', 'training', 'evaluating', 'uploading'] as const
export type TrainerPhase = (typeof trainerPhases)[number]

/**
 * `continue`: nothing to do. `checkpoint`: save at the next step and go on. `pause`: save, report `stopped`, exit 75.
 * `cancel`: the same, and save only when that takes no longer than a minute. A command is repeated until it is done.
 */
export const trainerCommands = ['continue', 'checkpoint', 'pause', 'cancel'] as const
export type TrainerCommand = (typeof trainerCommands)[number]

const Heartbeat = z.strictObject({
  step: TrainerStep.describe('The last step that is complete.'),
  phase: z.enum(trainerPhases),
  epoch: z.number().min(0).nullable().default(null),
  remaining_seconds: z.number().min(0).nullable().default(null).describe("The trainer's estimate for the whole job."),
  code_version: storable(z.string().max(200))
    .nullable()
    .default(null)
    .describe("Name and version of the trainer's program, for the lineage of what it trains."),
  gpu: z
    .array(
      z.strictObject({
        name: z.string().max(100),
        memory_used_bytes: z.number().min(0),
        memory_total_bytes: z.number().min(0),
        utilization: z.number().min(0).max(1).nullable().default(null),
      }),
    )
    .max(64)
    .default([]),
})

export const trainerEventLevels = ['info', 'warn', 'error'] as const
const at = z.iso.datetime().describe("The trainer's clock, UTC. Shown, not trusted.")
export const TrainerEvent = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message'),
    at,
    level: z.enum(trainerEventLevels),
    message: z.string().min(1).max(2_000),
    data: z.record(z.string(), z.unknown()).default({}),
  }),
  z.strictObject({
    type: z.literal('metrics'),
    at,
    step: TrainerStep,
    values: MetricValues.describe(
      'Such as `train_loss`, `train_mean_token_accuracy`, `valid_loss`, `learning_rate`, `grad_norm`, `tokens`. Null: not a finite number.',
    ),
  }),
  z.strictObject({ type: z.literal('log'), at, line: z.string().max(2_000) }),
])
export type TrainerEvent = z.infer<typeof TrainerEvent>

/**
 * What a trainer found when it turned the examples of `spec.dataset` into tokens. The first report of a job counts: what later
 * attempts report must be equal.
 */
export const TrainerData = z.strictObject({
  used: z.int().min(0).describe('Examples that are trained on.'),
  too_long: z.int().min(0).describe('Examples above `max_sequence_length`, dropped or truncated.'),
  tokens: z
    .int()
    .min(0)
    .describe('Tokens of the used examples, once. Times the epochs, they are what the job may cost.'),
  p50_tokens: z.int().min(0).nullable().describe('Null: not counted.'),
  p95_tokens: z.int().min(0).nullable(),
  stop_token_trained: z
    .boolean()
    .nullable()
    .describe(
      'Null: not known. Whether most answers end with a token at which engines stop. One without is not trained.',
    ),
  chat_template_sha256: Sha256.nullable().describe('Null: not known.'),
})
export type TrainerData = z.infer<typeof TrainerData>

/**
 * `adapter`: part of the model, and servable: `adapter_model.safetensors`, `adapter_config.json`, tokenizer files, the chat
 * template. `state`: what only a later attempt of the job reads (optimiser, scheduler, random numbers), never given out.
 */
export const trainerFileKinds = ['adapter', 'state'] as const
export const CheckpointFile = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/)
    .describe('Unique in the checkpoint, without folders.'),
  kind: z.enum(trainerFileKinds),
  sha256: Sha256,
  bytes: z.int().min(0),
})
export type CheckpointFile = z.infer<typeof CheckpointFile>

const BeginCheckpoint = z.strictObject({
  step: TrainerStep.min(1),
  files: z.array(CheckpointFile).min(1).max(64),
})

export const CheckpointUpload = z.object({
  name: z.string(),
  url: z
    .string()
    .nullable()
    .describe('Where PUT stores the bytes, with the headers below. Needs no token. Null: the store has the bytes.'),
  headers: z.record(z.string(), z.string()),
})
export type CheckpointUpload = z.infer<typeof CheckpointUpload>

/** Completes the checkpoint that was begun for the step. Its files are read and hashed before it counts. */
const CommitCheckpoint = z.strictObject({
  step: TrainerStep.min(1),
  trained_tokens: z
    .int()
    .min(0)
    .describe(
      'Tokens trained on from step 1 to this one, over all attempts. Charged; at most `plan.total_tokens`. Of a GRPO run 0: its steps say it.',
    ),
  epoch: z.number().min(0).nullable().default(null),
  metrics: MetricValues.default({}).describe('Such as `train_loss` and `valid_loss` at this step.'),
  served_as: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .default(null)
    .describe('Of trainers that serve what they train: the model of the catalog that answers as this checkpoint.'),
})

/** What the trained model answers to the probes, greedily, with the template and tokenizer that are stored with it. */
export const FingerprintProbe = z.strictObject({
  probe: z.int().min(0).describe('Index in `spec.probes`.'),
  token_ids: z.array(z.int().min(0)).max(64),
  logprobs: z.array(z.number()).max(64).describe('Natural logarithms, one per token.'),
})
export type FingerprintProbe = z.infer<typeof FingerprintProbe>

const Fingerprint = z.strictObject({
  step: TrainerStep.min(1).describe('That of a durable checkpoint.'),
  chat_template_sha256: Sha256.nullable(),
  probes: z.array(FingerprintProbe).min(1).max(64),
})

const Result = z.strictObject({
  step: TrainerStep.min(1).describe(
    'The durable checkpoint that is the model: the last one, or the best with early stopping.',
  ),
  stopped_early: z.enum(['early_stopping']).nullable().default(null),
  metrics: MetricValues.default({}),
})

/** Why a trainer gives up. `diverged`: the loss is not a number, or has stayed at ten times its start for 20 steps. */
export const trainerFailures = [
  'diverged',
  'out_of_memory',
  'invalid_training_data',
  'base_model_unavailable',
  'artifact_unavailable',
  'internal_error',
] as const
export type TrainerFailureCode = (typeof trainerFailures)[number]

const Failure = z.strictObject({
  code: z.enum(trainerFailures),
  message: z.string().min(1).max(2_000).describe('Shown to the customer: no paths, no addresses.'),
  retryable: z.boolean().describe('Whether another attempt may succeed. It counts as one that was lost.'),
})

const Stopped = z.strictObject({
  reason: z.enum(['pause', 'cancel', 'preempted']).describe('`preempted`: SIGTERM without a command.'),
  step: TrainerStep,
})

/** Every call. Exact paths; there are no parameters, because the token names the job and the attempt. */
export const trainerCalls = {
  spec: { method: 'get', path: `${prefix}/spec`, maxBodyBytes: 0, body: NoBody, reply: AnyTrainerSpec },
  heartbeat: {
    method: 'post',
    path: `${prefix}/heartbeat`,
    maxBodyBytes: mebibyte / 16,
    body: Heartbeat,
    reply: z.object({
      command: z.enum(trainerCommands),
      lease_until: z.iso.datetime(),
      token: z.string().nullable().describe('To be used from now on. Null: the present one goes on.'),
    }),
  },
  events: {
    method: 'post',
    path: `${prefix}/events`,
    maxBodyBytes: 4 * mebibyte,
    body: z.strictObject({
      from_seq: z.int().min(1).describe('Number of the first item. The first one of an attempt is 1.'),
      items: z.array(TrainerEvent).min(1).max(500),
    }),
    reply: z.object({ next_seq: z.int().min(1).describe('The first number that is not stored.') }),
  },
  /**
   * Before step 1 of an attempt, by trainers that have the tokenizer of the model; without it, the estimate of the service
   * counts. Repeated every second until the job is covered. A wallet that does not cover it ends the job.
   */
  data: {
    method: 'post',
    path: `${prefix}/data`,
    maxBodyBytes: mebibyte / 16,
    body: TrainerData,
    reply: z.object({
      covered: z.boolean().describe('False: more has to be held first. Do not train yet.'),
      plan: TrainerPlan.describe('In place of that of the spec.'),
    }),
  },
  beginCheckpoint: {
    method: 'post',
    path: `${prefix}/checkpoints/begin`,
    maxBodyBytes: mebibyte / 16,
    body: BeginCheckpoint,
    reply: z.object({ step: z.int(), uploads: z.array(CheckpointUpload), expires_at: z.iso.datetime() }),
  },
  commitCheckpoint: {
    method: 'post',
    path: `${prefix}/checkpoints/commit`,
    maxBodyBytes: mebibyte / 16,
    body: CommitCheckpoint,
    reply: z.object({
      step: z.int(),
      durable_at: z.iso.datetime(),
      trained_tokens: z.int().describe('As it is charged.'),
      stop: z
        .boolean()
        .describe('True when the job ends here, because `maxCostUsd` covers no further checkpoint: report the result.'),
    }),
  },
  fingerprint: {
    method: 'post',
    path: `${prefix}/fingerprint`,
    maxBodyBytes: mebibyte,
    body: Fingerprint,
    reply: z.object({ stored: z.literal(true) }),
  },
  result: {
    method: 'post',
    path: `${prefix}/result`,
    maxBodyBytes: mebibyte / 16,
    body: Result,
    reply: z.object({ accepted: z.literal(true) }),
  },
  failure: {
    method: 'post',
    path: `${prefix}/failure`,
    maxBodyBytes: mebibyte / 16,
    body: Failure,
    reply: z.object({ accepted: z.literal(true) }),
  },
  stopped: {
    method: 'post',
    path: `${prefix}/stopped`,
    maxBodyBytes: mebibyte / 16,
    body: Stopped,
    reply: z.object({ accepted: z.literal(true) }),
  },
} as const satisfies Readonly<Record<string, TrainerCall>>
