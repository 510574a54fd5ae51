import type { AliasSettings, PutAlias } from '@ratchet/contracts/aliases'
import type { Identity } from '@ratchet/contracts/identity'
import { evalEvidence } from '@ratchet/contracts/internal-eval'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { ServiceError } from '@ratchet/service-kit/service-error'
import { type AliasEvents, mainModel, type StoredAlias } from '../domain/alias.ts'
import {
  type ComparedModels,
  isRepoint,
  ruleOnRepoint,
  servedSince,
  wantsEvidence,
} from '../domain/evidence/evidence-policy.ts'

export interface EvidenceDeps {
  readonly policyOf: (workspaceId: string) => Promise<'off' | 'enforce'>
  readonly events: Pick<AliasEvents, 'history'>
  readonly eval: Pick<FleetClient, 'call'>
  readonly now: () => Date
}

export interface RepointRequest {
  readonly current: StoredAlias | null
  readonly settings: AliasSettings
  readonly wanted: Pick<PutAlias, 'force'>
  readonly identity: Identity
}

const lately = 30 * 86_400_000

/**
 * What a repoint is proven by; null where none has to be. Making an alias, and a canary below 100 %, need no proof.
 *
 * @throws ServiceError `precondition_failed` with what is missing, `insufficient_permissions` for `force` by who is no owner
 */
export async function requireEvidence(
  deps: EvidenceDeps,
  { current, settings, wanted, identity }: RepointRequest,
): Promise<Readonly<Record<string, unknown>> | null> {
  if (wanted.force && identity.role !== 'owner') {
    throw new ServiceError('insufficient_permissions', 'Only an owner may force a repoint.', { param: 'force' })
  }
  if (current === null) return null
  const change = { before: current.settings, after: settings }
  if (!isRepoint(change)) return null
  const policy = await deps.policyOf(identity.workspaceId)
  if (!wantsEvidence(policy, change)) return null
  const since = new Date(deps.now().getTime() - lately)
  const ruling = ruleOnRepoint({
    ...change,
    gateState: current.gate.state,
    evals: await comparedModels(deps, { ...change, identity, since }),
    servedLately: servedSince(await deps.events.history(current.id, since)),
    isForced: wanted.force,
  })
  if (ruling.kind === 'allowed') return ruling.evidence
  const [from, to] = [mainModel(change.before), mainModel(change.after)]
  const message = `Nothing proves that ${to} may take the place of ${from}; error.details.missing lists what would.`
  throw new ServiceError('precondition_failed', message, { details: { missing: ruling.missing } })
}

interface Comparison {
  readonly before: AliasSettings
  readonly after: AliasSettings
  readonly identity: Identity
  readonly since: Date
}

async function comparedModels(
  deps: EvidenceDeps,
  { before, after, identity, since }: Comparison,
): Promise<readonly ComparedModels[]> {
  const query = {
    baseline_model: mainModel(before),
    candidate_model: mainModel(after),
    since: since.toISOString(),
  }
  const { data } = await deps.eval.call(evalEvidence, { query }, identity).catch(rethrow)
  return data.map(({ eval_id: evalId, win_rate_ci: ci, savings_pct: savingsPct }) => ({
    evalId,
    winRateLow: ci?.[0] ?? null,
    savingsPct,
  }))
}

function rethrow(error: unknown): never {
  if (!(error instanceof FleetCallError) || !error.mayPass) throw error
  throw new ServiceError('service_unavailable', 'Evals cannot be read at the moment.', {
    retryAfterSeconds: 1,
    cause: error,
  })
}
