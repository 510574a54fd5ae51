import type { CreateCriterion, UpdateCriterion } from '@ratchet/contracts/criteria'
import { type CriterionCheck, checksModel, type ScriptCheck } from '@ratchet/contracts/criterion-checks'
import type { Identity } from '@ratchet/contracts/identity'
import { wholePatternProblem } from '@ratchet/contracts/linear-pattern'
import type { RunScript } from '@ratchet/judge-kit/checks/script'
import { type ModelCatalog, requireJudgeModel } from '@ratchet/judge-kit/fleet/model-catalog'
import type { SchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import { invalidRequest } from '@ratchet/service-kit/http/service-error'
import type { SlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import type { z } from 'zod'
import type { StoredCriterion } from './criterion.ts'

export interface CheckKindDeps {
  readonly models: ModelCatalog
  readonly schemas: Pick<SchemaChecks, 'firstProblemInSteps'>
  /** In which schemas are compiled. */
  readonly slicedWork: SlicedWork
  readonly runScript: RunScript
}

/** What judges: a model, or checks with the model that stands for them. */
export type JudgedBy = Pick<StoredCriterion, 'judgeModel' | 'checks'>

/** @throws ServiceError naming the field that is missing, not allowed or wrong, or `model_not_found` */
export async function judgedBy(
  deps: CheckKindDeps,
  { kind, judge_model: model, checks }: CreateCriterion,
  identity: Identity,
): Promise<JudgedBy> {
  if (kind === 'code') {
    if (model != null) throw invalidRequest('judge_model', 'A criterion of kind `code` has no `judge_model`.')
    if (checks == null) throw invalidRequest('checks', 'A criterion of kind `code` needs `checks`.')
    await requireChecks(deps, checks, identity)
    return { judgeModel: checksModel, checks }
  }
  if (checks != null)
    throw invalidRequest('checks', 'Only a criterion of kind `code` has `checks`. Send `"kind": "code"`.')
  if (model == null) throw invalidRequest('judge_model', 'A criterion of kind `model` needs a `judge_model`.')
  await requireJudgeModel(deps.models, { identity, name: model })
  return { judgeModel: model, checks: null }
}

/** The same for a change. What judges stays of its kind. */
export async function requireJudgedBy(
  deps: CheckKindDeps,
  {
    criterion,
    body,
    identity,
  }: { readonly criterion: StoredCriterion; readonly body: UpdateCriterion; readonly identity: Identity },
): Promise<void> {
  const { judge_model: name, checks } = body
  if (criterion.checks === null && checks !== undefined) {
    throw invalidRequest('checks', 'A model judges by this criterion. Create another one of kind `code`.')
  }
  if (criterion.checks !== null && name !== undefined && name !== checksModel) {
    throw invalidRequest('judge_model', 'This criterion judges by checks. Create another one of kind `model`.')
  }
  if (checks !== undefined) await requireChecks(deps, checks, identity)
  if (criterion.checks === null && name !== undefined && name !== criterion.judgeModel) {
    await requireJudgeModel(deps.models, { identity, name })
  }
}

async function requireChecks(
  { schemas, slicedWork, runScript }: CheckKindDeps,
  checks: readonly CriterionCheck[],
  { workspaceId }: Identity,
): Promise<void> {
  const named = checks.map((check, index) => ({ check, param: `checks.${index}` }))
  for (const { check, param } of named) {
    if (check.type === 'regex') requirePattern(check.pattern, `${param}.pattern`)
    if ((check.type === 'length' || check.type === 'characters') && check.min > check.max) {
      throw invalidRequest(`${param}.min`, '`min` must not be more than `max`.')
    }
  }
  const withSchema = named.flatMap(({ check, param }) => (check.type === 'json_schema' ? [{ check, param }] : []))
  const wrong = await slicedWork.run(schemas.firstProblemInSteps(withSchema.map(({ check }) => check.schema)))
  if (wrong !== null) {
    throw invalidRequest(`${withSchema[wrong.index]?.param}.schema`, `The schema cannot be used: ${wrong.problem}.`)
  }
  for (const { check, param } of named) {
    if (check.type === 'script') await requireScript(runScript, { workspaceId, param: `${param}.source` }, check)
  }
}

function requirePattern(pattern: string, param: string): void {
  const problem = wholePatternProblem(pattern)
  if (problem !== null) throw invalidRequest(param, `The pattern cannot be used: ${problem}.`)
}

/** A script must be one that defines `check`. What it returns is seen when it judges. */
async function requireScript(
  runScript: RunScript,
  { workspaceId, param }: { readonly workspaceId: string; readonly param: string },
  { source }: z.output<typeof ScriptCheck>,
): Promise<void> {
  const result = await runScript(workspaceId, { source, answer: null })
  if (result.kind === 'failed') throw invalidRequest(param, `The script cannot be used: ${result.problem}.`)
}
