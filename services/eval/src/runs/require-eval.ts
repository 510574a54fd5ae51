import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { EvalRun, EvalStore } from './eval-run.ts'

/** The eval of a public id. @throws ServiceError `not_found`, also for another workspace's */
export async function requireEval(
  evals: Pick<EvalStore, 'get'>,
  { workspaceId }: Pick<Identity, 'workspaceId'>,
  publicId: string,
): Promise<EvalRun> {
  const id = uuidOf('eval', publicId)
  const run = id === null ? null : await evals.get({ workspaceId, id })
  if (run === null) throw new ServiceError('not_found', 'There is no such eval.', { param: 'id' })
  return run
}
