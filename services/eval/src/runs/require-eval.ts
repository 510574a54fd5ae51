import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { notFound } from '@ratchet/service-kit/http/service-error'
import type { EvalRun } from './eval-run.ts'
import type { EvalStore } from './eval-store.ts'

/** Reads the eval of a public id. @throws ServiceError `not_found`, also when it belongs to another workspace */
export async function requireEval(
  evals: Pick<EvalStore, 'get'>,
  { workspaceId }: Pick<Identity, 'workspaceId'>,
  publicId: string,
): Promise<EvalRun> {
  const id = uuidOf('eval', publicId)
  const run = id === null ? null : await evals.get({ workspaceId, id })
  if (run === null) throw notFound('eval')
  return run
}
