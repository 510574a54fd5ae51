import { CreateGrpoRun, type RewardTerms, TestGrpoReward } from '@ratchet/contracts/grpo-body'
import { compileLinearPattern } from '@ratchet/contracts/linear-pattern'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import { FlatRefusal } from '../../jobs/flat-refusal.ts'
import { readSpelled, type SpelledBody } from '../../jobs/spelled-body.ts'

/** Why a JSON Schema cannot be used; null when it can. */
export type SchemaProblem = (schema: unknown) => string | null

/** A body that names its base model. */
export type GrpoRequest = CreateGrpoRun & { readonly baseModel: string }

/** Their keys are the user's. */
const opaque = new Set(['metadata', 'args', 'schema', 'messages', 'completion'])

/**
 * Reads the body that creates or estimates a run.
 *
 * @throws FlatRefusal for a key in both spellings, no `baseModel`, and a reward without a source
 * @throws ServiceError 400 for everything else
 */
export function readGrpoBody(sent: unknown, schemaProblem: SchemaProblem): SpelledBody<GrpoRequest> {
  return readSpelled(sent, opaque, (body) => {
    const request = parseInput(CreateGrpoRun, body)
    const { baseModel } = request
    if (baseModel == null) throw new FlatRefusal('`baseModel` is required.')
    requireReward(request.reward, schemaProblem)
    const { criterionId, judgeModel } = request.holdout
    if (criterionId != null && judgeModel != null) {
      throw invalidRequest(
        'holdout.judgeModel',
        '`holdout.judgeModel` cannot be used together with `holdout.criterionId`.',
      )
    }
    if (judgeModel != null && request.reward.criteria.length === 0) {
      throw invalidRequest(
        'holdout.judgeModel',
        '`holdout.judgeModel` judges by the criteria of the reward, which has none.',
      )
    }
    const repeated = request.reward.criteria.find(({ criterionId: id }) => id === criterionId)
    if (repeated !== undefined) {
      throw invalidRequest('holdout.criterionId', '`holdout.criterionId` must be no part of the reward.')
    }
    return { ...request, baseModel }
  })
}

/** Reads the body that tries a reward. @throws as above */
export function readTestBody(sent: unknown, schemaProblem: SchemaProblem): SpelledBody<TestGrpoReward> {
  return readSpelled(sent, opaque, (body) => {
    const request = parseInput(TestGrpoReward, body)
    requireReward(request.reward, schemaProblem)
    for (const [index, { completion }] of request.samples.entries()) {
      if (completion.at(-1)?.role === 'assistant') continue
      const param = `samples.${index}.completion`
      throw invalidRequest(param, `\`${param}\` must end with a message of the assistant.`)
    }
    return request
  })
}

function requireReward({ criteria, functions }: RewardTerms, schemaProblem: SchemaProblem): void {
  const terms = criteria.length + functions.length
  if (terms === 0) throw new FlatRefusal('`reward` needs at least one of `criteria` and `functions`.')
  if (terms > maxTerms) throw invalidRequest('reward', `\`reward\` has at most ${maxTerms} terms.`)
  const ids = criteria.map(({ criterionId }) => criterionId)
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) < index)
  if (repeated >= 0) {
    const param = `reward.criteria.${repeated}.criterionId`
    throw invalidRequest(param, `\`${param}\` is listed twice.`)
  }
  for (const [index, check] of functions.entries()) {
    const param = `reward.functions.${index}`
    if (check.type === 'regex') requirePattern(`${param}.pattern`, check.pattern)
    if (check.type === 'length' && check.min > check.max)
      throw invalidRequest(`${param}.min`, `\`${param}.min\` must not exceed \`max\`.`)
    if (check.type !== 'json_schema') continue
    const problem = schemaProblem(check.schema)
    if (problem !== null) throw invalidRequest(`${param}.schema`, `\`${param}.schema\` cannot be used: ${problem}.`)
  }
}

const maxTerms = 8

function requirePattern(param: string, pattern: string): void {
  try {
    compileLinearPattern(pattern)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ServiceError('invalid_request', `\`${param}\` cannot be used: ${error.message}.`, { param })
  }
}
