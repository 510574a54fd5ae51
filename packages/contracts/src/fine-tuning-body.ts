import { z } from 'zod'
import { maxCostUsd } from './criteria.ts'
import { recordOf } from './list-of.ts'
import { storable } from './storable.ts'

/** LoRA ranks that servers of adapters can load. */
export const loraRanks = [1, 8, 16, 32, 64, 128, 256] as const
/** Fewest usable examples of a job. */
export const minTrainingExamples = 10
/** Longest example that is trained unless the job says otherwise, tokens. */
export const defaultSequenceLength = 8_192

const name = storable(z.string().min(1).max(200))
const auto = z.literal('auto')

const common = {
  nEpochs: z
    .union([auto, z.int().min(1).max(20)])
    .default('auto')
    .describe('`auto`: 3 below 1,000 examples, 2 below 10,000, else 1; always 1 for `dpo`.'),
  batchSize: z
    .union([auto, z.int().min(1).max(512)])
    .default('auto')
    .describe('Examples of one step. `auto`: a hundredth of the examples, from 8 to 64.'),
  learningRateMultiplier: z
    .union([auto, z.number().min(0.01).max(100)])
    .nullish()
    .describe('Factor of the rate that is used by default. Not together with `learningRate`.'),
  learningRate: z.number().min(1e-7).max(1e-2).nullish().describe('By default 2e-4, and 1e-5 for `dpo`.'),
  loraRank: z
    .literal([...loraRanks])
    .nullish()
    .describe('By default 32, or the highest below it that the model has.'),
  loraAlpha: z.number().min(1).max(1_024).nullish().describe('By default the rank.'),
  maxSequenceLength: z
    .int()
    .min(16)
    .max(1_000_000_000)
    .nullish()
    .describe(`Tokens. By default ${defaultSequenceLength}, or the model's maximum if that is less.`),
  onTooLong: z
    .enum(['drop', 'truncate_left', 'fail'])
    .default('drop')
    .describe('What happens to longer examples: they are left out, lose their beginning, or fail the job.'),
}

export const SupervisedHyperparameters = z.strictObject(common)
const DpoHyperparameters = z.strictObject({
  ...common,
  beta: z.number().min(0.01).max(2).default(0.1).describe('How close the model stays to its start; higher is closer.'),
})

export const FineTuningMethod = z.strictObject({
  type: z.enum(['supervised', 'dpo']),
  supervised: z.strictObject({ hyperparameters: SupervisedHyperparameters.prefault({}) }).optional(),
  dpo: z.strictObject({ hyperparameters: DpoHyperparameters.prefault({}) }).optional(),
})
export type FineTuningMethod = z.output<typeof FineTuningMethod>

/** An eval of what a training has made against a model. */
export const AfterTraining = z.strictObject({
  evalBaselineModel: name.describe('The model to compare it with.'),
  criterionId: name.nullish().describe('The judge: this or `judgeModel` is required.'),
  judgeModel: name.nullish(),
  rubric: storable(z.string().trim().min(1).max(32_768)).nullish().describe('The description of a good answer.'),
  sampleCount: z.int().min(5).max(500).default(100),
})
export type AfterTraining = z.output<typeof AfterTraining>

/**
 * The body that creates or estimates a fine-tuning job. Each key may also be written in snake_case; answers are in
 * snake_case.
 */
export const CreateFineTuningJob = z.strictObject({
  model: name.describe(
    'An id of `/v1/fine_tuning/models`, or the id or name of a model version, which is then `warmStartFrom`.',
  ),
  datasetId: name.nullish().describe('This or `trainingFile` is required. At most 64 MB and 100,000 examples.'),
  trainingFile: name
    .nullish()
    .describe('A file of lines of JSON with one example each, in the format of OpenAI. The same limits.'),
  evalDatasetId: name
    .nullish()
    .describe(
      'Examples to validate with. By default the other side of the split of the dataset; without one, 5 % of the examples, if these are at least ten.',
    ),
  validationFile: name.nullish().describe('The same as a file. Not together with `evalDatasetId`.'),
  method: FineTuningMethod.prefault({ type: 'supervised' }),
  training: z.enum(['lora', 'full']).default('lora').describe('`full` trains all weights, where the model offers it.'),
  suffix: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'This must be 1 to 64 letters, digits, dots, dashes and underscores.')
    .nullish()
    .describe('A word of yours in the names of the model versions that the job makes.'),
  seed: z.int().min(0).max(2_147_483_647).nullish().describe('By default at random.'),
  nCheckpoints: z
    .int()
    .min(1)
    .max(20)
    .nullish()
    .describe('Checkpoints that are kept, at equal distances; by default one after each epoch.'),
  earlyStopping: z
    // biome-ignore lint/plugin: trainers and their users know the setting by this name
    .strictObject({ patience: z.int().min(1).max(10) })
    .nullish()
    .describe('Ends after so many validations without a better loss. The best checkpoint is the result.'),
  maxCostUsd: maxCostUsd
    .nullish()
    .describe(
      'The job ends with the last checkpoint that this covers. By default the cost has no other limit than the hold.',
    ),
  warmStartFrom: name
    .nullish()
    .describe(
      'Id or name of a model version with a LoRA adapter, on which the training goes on. Its base must be `model`, and its rank is kept.',
    ),
  afterTraining: AfterTraining.nullish().describe(
    'Starts an eval of the last version when the job has succeeded: on the held out dataset if there is one, else on the log. A version that nothing serves is brought to the pool first.',
  ),
  trainer: name.default('auto').describe('`auto`, or one of the `trainers` of the model.'),
  metadata: recordOf(storable(z.string().min(1).max(64)), storable(z.string().max(512)))
    .refine((pairs) => Object.keys(pairs).length <= 16, 'This must have at most 16 pairs.')
    .nullish(),
})
export type CreateFineTuningJob = z.output<typeof CreateFineTuningJob>
