import {
  CreateGrpoRun,
  maxRewardSamples,
  maxRewardTerms,
  maxStepTokens,
  type RewardTerms,
  TestGrpoReward,
} from '@ratchet/contracts/grpo-body'
import { wholePatternProblem } from '@ratchet/contracts/linear-pattern'
import { totalProblem } from '@ratchet/judge-kit/schemas/schema-bounds'
import { invalidRequest } from '@ratchet/service-kit/http/service-error'
import { FlatRefusal } from '../../bodies/flat-refusal.ts'
import { readSpelled, type SpelledBody } from '../../bodies/spelled-body.ts'

/** Why a JSON Schema cannot be used; null when it can. */
export type SchemaProblem = (schema: unknown) => string | null

/** Their keys are the user's. */
const opaque = new Set(['metadata', 'args', 'schema', 'messages', 'completion'])

/**
 * Reads the body that creates or estimates a run.
 *
 * @throws FlatRefusal for a key in both spellings, neither or both of `baseModel` and `warmStartFrom`, and a reward without a
 *   source
 * @throws ServiceError 400 for everything else
 */
export function readGrpoBody(sent: unknown, schemaProblem: SchemaProblem): SpelledBody<typeof CreateGrpoRun> {
  return readSpelled(sent, {
    schema: CreateGrpoRun,
    opaque,
    check(request) {
      requireOneStart(request)
      requireReward(request.reward, schemaProblem)
      requireHoldout(request)
      requireOneJudge(request)
      requireStepSize(request)
    },
  })
}

function requireOneStart({ baseModel, warmStartFrom }: CreateGrpoRun): void {
  const given = [baseModel, warmStartFrom].filter((name) => name != null).length
  if (given === 1) return
  throw new FlatRefusal(
    `Exactly one of \`baseModel\` and \`warmStartFrom\` ${given === 0 ? 'is required' : 'is allowed'}.`,
  )
}

/** A trainer reads all answers of a step at once. */
function requireStepSize({ hyperparameters: { promptsPerStep, groupSize, maxOutputTokens } }: CreateGrpoRun): void {
  const tokens = promptsPerStep * groupSize * maxOutputTokens
  if (tokens <= maxStepTokens) return
  const param = 'hyperparameters.promptsPerStep'
  const message = `A step may have ${maxStepTokens} tokens: \`promptsPerStep\` times \`groupSize\` times \`maxOutputTokens\` are ${tokens}.`
  throw invalidRequest(param, message)
}

function requireOneJudge({ afterTraining }: CreateGrpoRun): void {
  if (afterTraining == null || (afterTraining.criterionId == null) !== (afterTraining.judgeModel == null)) return
  const param = 'afterTraining'
  throw invalidRequest(param, `\`${param}\` needs either a \`criterionId\` or a \`judgeModel\`.`)
}

function requireHoldout({ holdout, reward }: CreateGrpoRun): void {
  const { criterionId, judgeModel } = holdout
  if (criterionId != null && judgeModel != null) {
    const param = 'holdout.judgeModel'
    throw invalidRequest(param, `\`${param}\` cannot be used together with \`holdout.criterionId\`.`)
  }
  if (judgeModel != null && reward.criteria.length === 0) {
    const param = 'holdout.judgeModel'
    throw invalidRequest(param, `\`${param}\` judges by the criteria of the reward, which has none.`)
  }
  if (!reward.criteria.some(({ criterionId: id }) => id === criterionId)) return
  throw invalidRequest('holdout.criterionId', '`holdout.criterionId` must be no part of the reward.')
}

/** Reads the body that tries a reward. @throws as above */
export function readTestBody(sent: unknown, schemaProblem: SchemaProblem): SpelledBody<typeof TestGrpoReward> {
  return readSpelled(sent, {
    schema: TestGrpoReward,
    opaque,
    check(request) {
      const { reward, samples } = request
      requireReward(reward, schemaProblem)
      requireOneSource(request)
      if (samples == null) return
      const wrong = samples.findIndex(({ completion }) => completion.at(-1)?.role !== 'assistant')
      if (wrong === -1) return
      const param = `samples.${wrong}.completion`
      throw invalidRequest(param, `\`${param}\` must end with a message of the assistant.`)
    },
  })
}

function requireOneSource({ samples, datasetId, model, n, samplesPerPrompt }: TestGrpoReward): void {
  if ((samples == null) === (datasetId == null)) {
    throw invalidRequest('samples', 'Exactly one of `samples` and `datasetId` is required.')
  }
  if ((model == null) !== (datasetId == null)) throw invalidRequest('model', '`datasetId` and `model` go together.')
  if (samples == null && n * samplesPerPrompt > maxRewardSamples) {
    throw invalidRequest('n', `\`n\` times \`samplesPerPrompt\` must be at most ${maxRewardSamples}.`)
  }
}

function requireReward({ criteria, functions, tools }: RewardTerms, schemaProblem: SchemaProblem): void {
  const terms = criteria.length + functions.length + tools.length
  if (terms === 0) throw new FlatRefusal('`reward` needs at least one of `criteria`, `functions` and `tools`.')
  if (terms > maxRewardTerms) throw invalidRequest('reward', `\`reward\` has at most ${maxRewardTerms} terms.`)
  const ids = criteria.map(({ criterionId }) => criterionId)
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) < index)
  if (repeated >= 0) {
    const param = `reward.criteria.${repeated}.criterionId`
    throw invalidRequest(param, `\`${param}\` is listed twice.`)
  }
  const total = totalProblem(functions.flatMap((check) => (check.type === 'json_schema' ? [check.schema] : [])))
  if (total !== null)
    throw invalidRequest('reward.functions', `The schemas of \`reward.functions\` cannot be used: ${total}.`)
  for (const [index, check] of functions.entries()) requireCheck(check, `reward.functions.${index}`, schemaProblem)
}

function requireCheck(check: RewardTerms['functions'][number], param: string, schemaProblem: SchemaProblem): void {
  if (check.type === 'regex') requirePattern(`${param}.pattern`, check.pattern)
  if (check.type === 'length' && check.min > check.max) {
    throw invalidRequest(`${param}.min`, `\`${param}.min\` must not exceed \`max\`.`)
  }
  if (check.type !== 'json_schema') return
  const problem = schemaProblem(check.schema)
  if (problem === null) return
  throw invalidRequest(`${param}.schema`, `\`${param}.schema\` cannot be used: ${problem}.`)
}

function requirePattern(param: string, pattern: string): void {
  const problem = wholePatternProblem(pattern)
  if (problem !== null) throw invalidRequest(param, `\`${param}\` cannot be used: ${problem}.`)
}
