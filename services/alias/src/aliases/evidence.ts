import type { AliasSettings, GateState, PutAlias } from '@ratchet/contracts/aliases'
import type { Trust } from '@ratchet/contracts/criteria'
import type { Identity } from '@ratchet/contracts/identity'
import { evalEvidence } from '@ratchet/contracts/internal-eval'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { mainModel, type StoredAlias } from './alias.ts'
import type { AliasEvents } from './pg-alias-events.ts'

export interface EvidenceDeps {
  readonly policyOf: (workspaceId: string) => Promise<'off' | 'enforce'>
  readonly events: Pick<AliasEvents, 'history'>
  readonly eval: Pick<FleetClient, 'call'>
  readonly now: () => Date
}

export interface EvidenceQuestion {
  readonly current: StoredAlias | null
  readonly settings: AliasSettings
  readonly requested: Pick<PutAlias, 'force'>
  readonly identity: Identity
}

type Evidence = Readonly<Record<string, unknown>>

/** Evidence that is older does not count, milliseconds. */
const maxAgeMs = 30 * dayMs

/**
 * Finds the evidence for a change under the evidence policy. A new alias, a canary below 100 % and the way back to the
 * target need none. Evals are read only when nothing else supports the change, so a rollback does not depend on them.
 *
 * @returns null when no evidence is required
 * @throws ServiceError `precondition_failed` with the missing evidence; `insufficient_permissions` when a user who is not
 *   an owner sets `force`
 */
export async function requireEvidence(deps: EvidenceDeps, question: EvidenceQuestion): Promise<Evidence | null> {
  const { current, settings, requested, identity } = question
  if (requested.force && identity.role !== 'owner') {
    throw new ServiceError('insufficient_permissions', 'Only an owner may force a repoint.', { param: 'force' })
  }
  if (current === null) return null
  const moves = movesOf(current.settings, settings)
  if (moves.length === 0) return null
  const policy = await deps.policyOf(identity.workspaceId)
  // A change that loosens the policy is itself checked under the old one.
  if (![current.settings, settings].some(({ require_evidence: own }) => own ?? policy === 'enforce')) return null
  const since = new Date(deps.now().getTime() - maxAgeMs)
  const history = await deps.events.history(current.id, since)
  const known: KnownEvidence = {
    before: current.settings,
    after: settings,
    gateState: current.gate.state,
    gateTrust: current.gate.judge?.trust ?? null,
    servedModels: new Set(history.map((past) => mainModel(past.settings))),
    isForced: requested.force,
  }
  const found: Evidence[] = []
  for (const move of moves) found.push(await findEvidence(deps, { move, known, identity, since }))
  const [only = {}] = found
  return found.length === 1 ? only : { kind: 'several', moves: found }
}

/** A model that takes the place of the one that most requests are meant for. */
interface Move {
  readonly from: string
  readonly to: string
}

/**
 * The moves that a change makes: to models that may get all requests after it, at once or by a rollback, and not before
 * it. A move to the target of before is none.
 */
function movesOf(before: AliasSettings, after: AliasSettings): readonly Move[] {
  const from = mainModel(before)
  const known = new Set([from, before.target_model])
  const possible = new Set([mainModel(after), after.target_model])
  return [...possible].filter((to) => !known.has(to)).map((to) => ({ from, to }))
}

/** Evidence that is read without calling another service. */
interface KnownEvidence {
  readonly before: AliasSettings
  readonly after: AliasSettings
  /** State of the gate of the current split. */
  readonly gateState: GateState | null
  /** Trust in its judge at the last evaluation. */
  readonly gateTrust: Trust | null
  /** Models that got all or most requests within `maxAgeMs`. */
  readonly servedModels: ReadonlySet<string>
  /** An owner takes the responsibility. */
  readonly isForced: boolean
}

interface Search {
  readonly move: Move
  readonly known: KnownEvidence
  readonly identity: Identity
  readonly since: Date
}

async function findEvidence(deps: EvidenceDeps, search: Search): Promise<Evidence> {
  const { move, known } = search
  const evidence = localEvidence(move, known)
  if (evidence !== null) return evidence
  const evals = await comparingEvals(deps, search)
  const proof = evals.find((each) => isProof(each, known.after))
  if (proof !== undefined) return { kind: 'eval', ...move, ...proof }
  const message = `No evidence supports ${move.to} in place of ${move.from}; error.details.missing lists what would.`
  throw new ServiceError('precondition_failed', message, { details: { missing: missingEvidence(move, known, evals) } })
}

/** Maximum `gate_rollback_threshold` of a gate that counts as evidence. A gate that tolerates any drop proves nothing. */
const maxMargin = 0.1

function localEvidence(move: Move, known: KnownEvidence): Evidence | null {
  const { canary_model: canary, gate_rollback_threshold: margin } = known.before
  if (known.servedModels.has(move.to)) return { kind: 'served_before', ...move }
  const isReady = known.gateState === 'promote_ready' && known.gateTrust === 'trustworthy'
  if (isReady && canary === move.to && margin <= maxMargin) return { kind: 'canary', ...move, margin }
  return known.isForced ? { kind: 'forced', ...move } : null
}

/** An eval that compared the current model with the new one. */
interface ComparingEval {
  readonly evalId: string
  /** Low end of the 95 % interval of the win rate; null when nothing was judged. */
  readonly winRateLow: number | null
  readonly savingsPct: number | null
}

async function comparingEvals(
  deps: EvidenceDeps,
  { move, identity, since }: Search,
): Promise<readonly ComparingEval[]> {
  const query = { baseline_model: move.from, candidate_model: move.to, since: since.toISOString() }
  const { data } = await deps.eval.call(evalEvidence, { query }, identity).catch((cause: unknown) => {
    if (!(cause instanceof FleetCallError) || !cause.mayPass) throw cause
    const message = 'Evals cannot be read at the moment.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
  })
  return data.map(({ eval_id: evalId, win_rate_ci: ci, savings_pct: savingsPct }) => ({
    evalId,
    winRateLow: ci?.[0] ?? null,
    savingsPct,
  }))
}

const minWinRate = 0.5
const minWinRateWhenCheaper = 0.45

function isProof({ winRateLow, savingsPct }: ComparingEval, after: AliasSettings): boolean {
  if (winRateLow === null) return false
  if (winRateLow >= minWinRate) return true
  const isCheaper = savingsPct !== null && savingsPct > 0
  return winRateLow >= minWinRateWhenCheaper && isCheaper && after.gate_criterion_id !== null
}

/** Each of these would be enough. */
function missingEvidence({ from, to }: Move, known: KnownEvidence, evals: readonly ComparingEval[]) {
  const lows = evals.flatMap(({ winRateLow }) => winRateLow ?? [])
  const best = lows.length === 0 ? null : Math.max(...lows)
  const found =
    best === null ? 'no such eval exists' : `the best of ${lows.length} has a lower bound of ${best.toFixed(3)}`
  const canary =
    known.before.canary_model === to
      ? `its gate is ${known.gateState ?? 'not set'}`
      : `${to} is not the canary of this alias`
  return [
    {
      requirement: 'eval',
      detail: `A DONE eval of the last 30 days from ${from} to ${to} whose win rate has a lower bound of 0.5 or above, or of 0.45 if ${to} is cheaper and a gate criterion is set: ${found}.`,
    },
    {
      requirement: 'canary',
      detail: `A canary whose gate is promote_ready with a trustworthy judge and a threshold of ${maxMargin} or less: ${canary}.`,
    },
    { requirement: 'served_before', detail: `The alias served ${to} in the last 30 days: it did not.` },
    { requirement: 'force', detail: 'An owner may send `force: true` with a `reason`, which is audited.' },
  ]
}
