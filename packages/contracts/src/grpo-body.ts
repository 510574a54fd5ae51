import { z } from 'zod'
import {
  containsFields,
  jsonSchemaFields,
  lengthFields,
  noToolCallFields,
  regexFields,
  toolCalledFields,
} from './answer-checks.ts'
import { ChatMessage } from './chat-message.ts'
import { maxCostUsd } from './criteria.ts'
import { toolMisses } from './environment-tools-body.ts'
import { AfterTraining, loraRanks } from './fine-tuning-body.ts'
import { grpoLosses } from './grpo-spec.ts'
import { listOf, recordOf } from './list-of.ts'
import { storable } from './storable.ts'

/** Fewest distinct prompts that are trained on, and most; of all of them together at most 16 MB. */
export const minGrpoPrompts = 16
export const maxGrpoPrompts = 10_000
/** Fewest prompts that are held out. */
export const minHoldoutPrompts = 32
/** Tools of a run. */
export const maxRunTools = 16
/** Tokens of the answers of a step, were all as long as they may be. */
export const maxStepTokens = 4_194_304
/** Terms of a reward. */
export const maxRewardTerms = 8

const word = storable(z.string().min(1).max(200))

const term = {
  weight: z.number().gt(0).max(1_000).default(1).describe('Share of the reward; weights are divided by their sum.'),
  required: z
    .boolean()
    .default(false)
    .describe('Multiplies the reward instead of adding to it: without it the reward is 0.'),
}

const RewardCriterion = z.strictObject({
  criterionId: word.describe('A judge of single exchanges that is proven: its `can_act` is true.'),
  ...term,
})

export const ExactMatchReward = z.strictObject({
  type: z.literal('exact_match').describe('The answer is the last reply of the example, apart from spaces around it.'),
  ...term,
})
export const NumericCloseReward = z.strictObject({
  type: z
    .literal('numeric_close')
    .describe('The last number of the answer is close to that of the reply of the example.'),
  tolerance: z.number().min(0).max(1e9).default(0).describe('Greatest difference.'),
  ...term,
})
export const ContainsReward = z.strictObject({ ...containsFields, ...term })
export const RegexReward = z.strictObject({ ...regexFields, ...term })
export const JsonSchemaReward = z.strictObject({ ...jsonSchemaFields, ...term })
export const ToolCalledReward = z.strictObject({ ...toolCalledFields, ...term })
export const NoToolCallReward = z.strictObject({ ...noToolCallFields, ...term })
export const LengthReward = z.strictObject({ ...lengthFields, ...term })

/** Checks without a judge. All but `length` and those of tools read the text of the last message. */
export const RewardFunction = z.discriminatedUnion('type', [
  ExactMatchReward,
  NumericCloseReward,
  ContainsReward,
  RegexReward,
  JsonSchemaReward,
  ToolCalledReward,
  NoToolCallReward,
  LengthReward,
])
export type RewardFunction = z.output<typeof RewardFunction>

const RewardTool = z.strictObject({
  environmentToolId: word.describe(
    'A tool with an address that is `usableAs` `reward`. It is asked once about each answer, with the arguments `{messages, completion, reference}`, and answers `{reward, detail}`. Of a tool that the model has called too, the last answer of the episode with a `reward` counts.',
  ),
  ...term,
})

/** What an answer is worth, from 0 to 1. */
export const RewardTerms = z.strictObject({
  criteria: listOf(RewardCriterion).max(maxRewardTerms).default([]),
  functions: listOf(RewardFunction).max(maxRewardTerms).default([]),
  tools: listOf(RewardTool).max(maxRewardTerms).default([]),
})
export type RewardTerms = z.output<typeof RewardTerms>

const Environment = z.strictObject({
  toolIds: listOf(word)
    .min(1)
    .max(maxRunTools)
    .describe('Environment tools, in the order in which the model sees them. The run keeps their present versions.'),
  maxTurns: z
    .int()
    .min(1)
    .max(20)
    .default(5)
    .describe('Messages of the model with calls of tools, before its last message.'),
  onMiss: z
    .enum(toolMisses)
    .nullish()
    .describe('What a call of a recorded tool without a recording gets in this run. By default what the tool says.'),
})

const Holdout = z.strictObject({
  criterionId: word.nullish().describe('A judge that is no part of the reward. This or `judgeModel`.'),
  judgeModel: word
    .nullish()
    .describe('A model of another family than the judges of the reward. It judges by their criteria.'),
  everySteps: z.int().min(1).max(10_000).default(20).describe('Steps between two looks.'),
  prompts: z
    .int()
    .min(minHoldoutPrompts)
    .max(256)
    .default(64)
    .describe('Prompts of a look, at most half of those held out.'),
  margin: z
    .number()
    .min(0)
    .max(0.5)
    .default(0.05)
    .describe('Gain that only the reward may see before it is called diverging.'),
  action: z.enum(['pause', 'stop', 'none']).default('pause').describe('What happens to a run that is diverging.'),
})

export const GrpoHyperparameters = z.strictObject({
  groupSize: z.int().min(2).max(64).default(8).describe('Answers to each prompt of a step.'),
  promptsPerStep: z
    .int()
    .min(1)
    .max(512)
    .default(16)
    .describe('Times `groupSize` and `maxOutputTokens` at most 4,194,304.'),
  maxSteps: z.int().min(1).max(10_000).default(200),
  learningRate: z.number().min(1e-7).max(1e-2).default(1e-5),
  klBeta: z.number().min(0).max(1).default(0.02),
  loraRank: z
    .literal([...loraRanks])
    .nullish()
    .describe('By default 16, or the rank of `warmStartFrom`, which is kept.'),
  loraAlpha: z.number().min(1).max(1_024).nullish().describe('By default the rank.'),
  temperature: z.number().min(0.1).max(2).default(1),
  topP: z.number().gt(0).max(1).default(1),
  maxOutputTokens: z.int().min(1).max(32_768).default(1_024),
  maxContextLength: z.int().min(16).max(1_000_000_000).nullish().describe("By default the model's maximum."),
  lossMethod: z.enum(grpoLosses).default('dapo'),
  resampleZeroVariance: z
    .int()
    .min(0)
    .max(5)
    .default(2)
    .describe('How often groups whose answers all have the same reward are replaced by other prompts.'),
  maskTruncated: z.boolean().default(true),
  importanceCap: z.number().min(1).max(100).default(2),
  checkpointEverySteps: z.int().min(1).max(1_000).default(10),
})

/**
 * The body that creates or estimates a run. Each key may also be written in snake_case; answers are in snake_case.
 */
export const CreateGrpoRun = z.strictObject({
  name: storable(z.string().trim().min(1).max(200)).default('GRPO run'),
  baseModel: word
    .nullish()
    .describe('An id of `/v1/fine_tuning/models` with the method `grpo`. This or `warmStartFrom` is required.'),
  warmStartFrom: word
    .nullish()
    .describe('Id or name of a model version with a LoRA adapter, on which the training goes on.'),
  datasetId: word.describe('Prompts: the examples without their last reply, which is the reference of functions.'),
  evalDatasetId: word
    .nullish()
    .describe('Prompts that are never trained on. By default the other side of the split of the dataset, else 10 %.'),
  reward: RewardTerms.describe('At least one criterion, function or tool.'),
  environment: Environment.nullish().describe(
    'Tools that the model may call while it answers, in place of those of the prompts. Needs a model that supports tools, and a trainer that calls them: `sim`, `process` or `kubernetes`.',
  ),
  holdout: Holdout.prefault({}),
  humanAudit: z.strictObject({ sample: z.int().min(1).max(50).default(30) }).prefault({}),
  hyperparameters: GrpoHyperparameters.prefault({}),
  stopOnRewardPlateau: z
    .strictObject({ steps: z.int().min(2).max(1_000).default(50), minGain: z.number().min(0).max(1).default(0.01) })
    .nullish()
    .describe('Ends the run when the mean reward of so many steps gained less over that of as many before.'),
  maxCostUsd: maxCostUsd.describe('Maximum cost, including the judges.'),
  afterTraining: AfterTraining.nullish().describe(
    'Starts an eval of the result when there is one, on the held out prompts that no look has used, which become a dataset. A result that nothing serves is brought to the pool first.',
  ),
  seed: z.int().min(0).max(2_147_483_647).nullish().describe('By default at random.'),
  trainer: word.default('auto'),
  metadata: recordOf(storable(z.string().min(1).max(64)), storable(z.string().max(512)))
    .refine((pairs) => Object.keys(pairs).length <= 16, 'This must have at most 16 pairs.')
    .nullish(),
})
export type CreateGrpoRun = z.output<typeof CreateGrpoRun>

/** Most samples of one test of a reward. */
export const maxRewardSamples = 50

/** Most prompts of a test whose answers are asked of a model. */
export const maxRewardPrompts = 20

export const TestGrpoReward = z.strictObject({
  reward: RewardTerms,
  samples: listOf(
    z.strictObject({
      messages: listOf(ChatMessage).min(1).max(1_000),
      completion: listOf(ChatMessage).min(1).max(64).describe('Ends with a message of the assistant.'),
      reference: storable(z.string().max(100_000))
        .nullish()
        .describe('What `exact_match` and `numeric_close` compare with.'),
    }),
  )
    .min(1)
    .max(maxRewardSamples)
    .nullish()
    .describe('Samples with equal messages are one group. These, or answers of `model` to prompts of `datasetId`.'),
  datasetId: word.nullish().describe('Prompts that `model` is asked.'),
  model: word.nullish().describe('A chat model of `/v1/models`. Its answers are charged as any.'),
  n: z.int().min(1).max(maxRewardPrompts).default(8).describe('Distinct prompts, chosen by `seed`.'),
  samplesPerPrompt: z
    .int()
    .min(1)
    .max(8)
    .default(2)
    .describe(`Answers to each, with the temperature 1; all together at most ${maxRewardSamples}.`),
  maxOutputTokens: z.int().min(1).max(32_768).default(1_024),
  seed: z.int().min(0).max(2_147_000_000).default(0),
})
export type TestGrpoReward = z.output<typeof TestGrpoReward>
