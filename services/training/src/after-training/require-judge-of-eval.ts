import type { AfterTraining } from '@ratchet/contracts/fine-tuning-body'
import type { Identity } from '@ratchet/contracts/identity'
import { invalidRequest } from '@ratchet/service-kit/http/service-error'
import { type JudgeDirectory, requireJudge } from '../grpo/rewards/judge-directory.ts'

/**
 * Checks the judge of an eval that begins after the training, so that it is not refused when all is paid.
 *
 * @throws ServiceError `not_found`, `invalid_request` or `unsupported_unit` naming `afterTraining.criterionId`
 */
export async function requireJudgeOfEval(
  judges: JudgeDirectory,
  identity: Identity,
  afterTraining: AfterTraining | null | undefined,
): Promise<void> {
  const id = afterTraining?.criterionId
  if (id == null) return
  const param = 'afterTraining.criterionId'
  const judge = await requireJudge(judges, { identity, id, param })
  if (judge.isRetired) throw invalidRequest(param, 'The judge is retired. Use an active one.')
}
