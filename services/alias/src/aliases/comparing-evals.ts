import type { Identity } from '@ratchet/contracts/identity'
import { evalEvidence } from '@ratchet/contracts/internal-eval'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { isVersionName } from './adopted-arms.ts'
import { type FindJudge, readJudge } from './require-judge.ts'
import type { VersionChecks } from './version-checks.ts'
import type { ComparingEval, Move } from './weigh-evals.ts'

export interface ComparingDeps {
  readonly eval: Pick<FleetClient, 'call'>
  readonly findJudge: FindJudge
  readonly versions: VersionChecks
}

export interface EvalSearch {
  readonly move: Move
  readonly identity: Identity
  /** Evals that ended before do not count. */
  readonly since: Date
}

/** The evals that compared both models of a move, newest first. @throws ServiceError `service_unavailable` */
export async function comparingEvals(
  deps: Omit<ComparingDeps, 'findJudge'>,
  { move, identity, since }: EvalSearch,
): Promise<readonly ComparingEval[]> {
  const query = { baseline_model: move.from, candidate_model: move.to, since: since.toISOString() }
  const { data } = await deps.eval.call(evalEvidence, { query }, identity).catch((cause: unknown) => {
    if (!(cause instanceof FleetCallError) || !cause.mayPass) throw cause
    const message = 'Evals cannot be read at the moment.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
  })
  const checks = isVersionName(move.to) && data.length > 0 ? await checkEvals(deps, data, { move, identity }) : null
  return data.map((each) => ({
    evalId: each.eval_id,
    savingsPct: each.savings_pct,
    savingsLow: each.savings_low,
    criterionId: each.criterion_id,
    evidence: each.evidence ?? null,
    hasJudgeDrifted: false,
    // An eval that was deleted in between proves nothing of a version.
    trainedPrompts: checks === null ? 0 : (checks.get(each.eval_id)?.trainedPrompts ?? null),
    isIndependent: checks === null || checks.get(each.eval_id)?.isIndependent === true,
  }))
}

function checkEvals(
  { versions }: Pick<ComparingDeps, 'versions'>,
  data: readonly { readonly eval_id: string }[],
  { move, identity }: Pick<EvalSearch, 'move' | 'identity'>,
) {
  return versions.check(identity, { model: move.to, evalIds: data.map(({ eval_id: id }) => id) })
}

/**
 * The judge of an eval may have changed since. It is read at the moment at which a move would rely on it, and where its eval is
 * sound but proves too little, so that a refusal does not ask for another eval with a judge that has drifted.
 */
export async function recheckJudges(
  deps: Pick<ComparingDeps, 'findJudge'>,
  identity: Identity,
  evals: readonly ComparingEval[],
): Promise<readonly ComparingEval[]> {
  const sound = evals.filter(({ evidence }) => evidence?.problems.length === 0)
  const drifted = new Set<string>()
  for (const id of new Set(sound.flatMap(({ criterionId }) => criterionId ?? []))) {
    const judge = await readJudge(deps.findJudge, identity, id)
    if (judge === null || judge.hasDrifted === true) drifted.add(id)
  }
  return evals.map((each) => ({ ...each, hasJudgeDrifted: drifted.has(each.criterionId ?? '') }))
}
