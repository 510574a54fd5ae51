import type { AliasSettings, PutAlias } from '@ratchet/contracts/aliases'
import type { Identity } from '@ratchet/contracts/identity'
import { evalEvidence } from '@ratchet/contracts/internal-eval'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { AliasEvents, StoredAlias } from './alias.ts'
import {
  type ComparedModels,
  type Move,
  movesOf,
  type RepointQuestion,
  ruleOnMove,
  servedSince,
  wantsEvidence,
} from './evidence-policy.ts'

export interface EvidenceDeps {
  readonly policyOf: (workspaceId: string) => Promise<'off' | 'enforce'>
  readonly events: Pick<AliasEvents, 'history'>
  readonly eval: Pick<FleetClient, 'call'>
  readonly now: () => Date
}

export interface RepointRequest {
  readonly current: StoredAlias | null
  readonly settings: AliasSettings
  readonly requested: Pick<PutAlias, 'force'>
  readonly identity: Identity
}

const lately = 30 * 86_400_000

type Evidence = Readonly<Record<string, unknown>>

/**
 * What a repoint is proven by; null where none has to be. Making an alias, a canary below 100 % and the way back need no
 * proof. Evals are asked for where nothing else speaks for it, so that who is in a hurry does not depend on them.
 *
 * @throws ServiceError `precondition_failed` with what is missing, `insufficient_permissions` for `force` by who is no owner
 */
export async function requireEvidence(
  deps: EvidenceDeps,
  { current, settings, requested, identity }: RepointRequest,
): Promise<Evidence | null> {
  if (requested.force && identity.role !== 'owner') {
    throw new ServiceError('insufficient_permissions', 'Only an owner may force a repoint.', { param: 'force' })
  }
  if (current === null) return null
  const change = { before: current.settings, after: settings }
  const moves = movesOf(change)
  if (moves.length === 0) return null
  if (!wantsEvidence(await deps.policyOf(identity.workspaceId), change)) return null
  const since = new Date(deps.now().getTime() - lately)
  const question = {
    ...change,
    gateState: current.gate.state,
    gateTrust: current.gate.judge?.trust ?? null,
    servedLately: servedSince(await deps.events.history(current.id, since)),
    isForced: requested.force,
  }
  const found: Evidence[] = []
  for (const move of moves) found.push(await prove(deps, { move, question, identity, since }))
  const [only = {}] = found
  return found.length === 1 ? only : { kind: 'several', moves: found }
}

interface Proving {
  readonly move: Move
  readonly question: Omit<RepointQuestion, 'evals'>
  readonly identity: Identity
  readonly since: Date
}

async function prove(deps: EvidenceDeps, { move, question, identity, since }: Proving): Promise<Evidence> {
  const atHand = ruleOnMove(move, { ...question, evals: null })
  if (atHand.kind === 'allowed') return atHand.evidence
  const ruling = ruleOnMove(move, { ...question, evals: await comparedModels(deps, { move, identity, since }) })
  if (ruling.kind === 'allowed') return ruling.evidence
  const message = `Nothing proves that ${move.to} may take the place of ${move.from}; error.details.missing lists what would.`
  throw new ServiceError('precondition_failed', message, { details: { missing: ruling.missing } })
}

async function comparedModels(
  deps: EvidenceDeps,
  { move, identity, since }: Pick<Proving, 'move' | 'identity' | 'since'>,
): Promise<readonly ComparedModels[]> {
  const query = { baseline_model: move.from, candidate_model: move.to, since: since.toISOString() }
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
