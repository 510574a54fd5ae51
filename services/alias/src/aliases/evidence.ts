import type { AliasSettings, PutAlias } from '@ratchet/contracts/aliases'
import type { Identity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { isGated, mainModel, type StoredAlias } from './alias.ts'
import { type ComparingDeps, comparingEvals, recheckJudges } from './comparing-evals.ts'
import type { AliasEvents } from './pg-alias-events.ts'
import { proveProducts } from './prove-products.ts'
import {
  isProvenByJudge,
  isProvenByPeople,
  isStrict,
  type KnownEvidence,
  type Move,
  refusal,
  refusalOfGate,
} from './weigh-evals.ts'

export interface EvidenceDeps extends ComparingDeps {
  readonly policyOf: (workspaceId: string) => Promise<'off' | 'enforce'>
  readonly events: Pick<AliasEvents, 'history' | 'lastDeleted'>
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
 * target need none, but an alias that was deleted in the last 30 days and is created again counts as changed, and a gate that promotes by itself must be strict. Evals are read only when nothing else supports the
 * change, so a rollback does not depend on them.
 *
 * @returns null when no evidence is required; for a move of an alias that is exempt from the policy of its workspace, that it has none
 * @throws ServiceError `precondition_failed` or `evidence_exhausted` with the missing evidence; `insufficient_permissions` when a user who is not
 *   an owner sets `force` or exempts the alias from the policy; `fresh_sign_in_required` for a person who signed in long ago
 */
export async function requireEvidence(deps: EvidenceDeps, question: EvidenceQuestion): Promise<Evidence | null> {
  const { current, settings, requested, identity } = question
  if (requested.force) requireOwner(identity, { param: 'force', action: 'force a repoint' })
  const replaced = current ?? (await lastDeleted(deps, identity, settings.name))
  const since = new Date(deps.now().getTime() - maxAgeMs)
  const proofs = await proveProducts(deps, { settings, isForced: requested.force, identity, replaced, since })
  const evidence = await requireByPolicy(deps, question, { replaced, proofs })
  if (proofs.length === 0) return evidence
  return several(evidence === null ? proofs : [...proofs, evidence])
}

interface Proven {
  readonly replaced: Replaced | null
  readonly proofs: readonly (Move & Evidence)[]
}

/** What the policy of the workspace or of the alias asks for, besides what was proven of products of rewards. */
async function requireByPolicy(
  deps: EvidenceDeps,
  question: EvidenceQuestion,
  { replaced, proofs }: Proven,
): Promise<Evidence | null> {
  const { current, settings, identity } = question
  const proven = new Set(proofs.map(({ to }) => to))
  const moves = replaced === null ? [] : movesOf(replaced.settings, settings).filter(({ to }) => !proven.has(to))
  const isLoose = promotesOnLittle(current?.settings ?? null, settings)
  // A policy of its own: whoever exempts an alias decides for the time when the workspace enforces one, too.
  const own = { before: replaced?.settings.require_evidence ?? null, after: settings.require_evidence }
  const changesPolicy = own.before !== own.after
  if (moves.length === 0 && !isLoose && !changesPolicy) return null
  const policy = await deps.policyOf(identity.workspaceId)
  // A change that loosens the policy is itself checked under the old one.
  const [isRequiredBefore, isRequiredAfter] = [own.before, own.after].map((each) => each ?? policy === 'enforce')
  const isRequired = isRequiredBefore || isRequiredAfter
  if (isRequired && isLoose) throw refusalOfGate()
  const needsEvidence = isRequired && replaced !== null && moves.length > 0
  const evidence = needsEvidence ? await evidenceOf(deps, question, { replaced, moves }) : null
  const isExempted = changesPolicy && own.after === false
  if (isExempted || (isRequiredBefore && !isRequiredAfter)) {
    requireOwner(identity, { param: 'require_evidence', action: 'exempt an alias from the evidence policy' })
  }
  // Without a policy of the workspace no move needs evidence, and an alias is exempt from nothing.
  return !isRequired && policy === 'enforce' && moves.length > 0 ? { kind: 'exempt', moves } : evidence
}

/** What a change replaces: the alias, or one of the same name that was deleted lately and had no gate any more. */
type Replaced = Pick<StoredAlias, 'id' | 'settings'> & { readonly gate: Pick<StoredAlias['gate'], 'state' | 'judge'> }

/** An alias of a name that clients still use moves their requests, also when it was deleted in between. */
async function lastDeleted(
  { events, now }: Pick<EvidenceDeps, 'events' | 'now'>,
  { workspaceId }: Identity,
  name: string,
): Promise<Replaced | null> {
  const found = await events.lastDeleted({ workspaceId, name }, new Date(now().getTime() - maxAgeMs))
  return found === null ? null : { ...found, gate: { state: null, judge: null } }
}

interface Moves {
  readonly replaced: Replaced
  readonly moves: readonly Move[]
}

async function evidenceOf(
  deps: EvidenceDeps,
  { settings, requested, identity }: EvidenceQuestion,
  { replaced, moves }: Moves,
): Promise<Evidence> {
  const since = new Date(deps.now().getTime() - maxAgeMs)
  const history = await deps.events.history(replaced.id, since)
  const known: KnownEvidence = {
    before: replaced.settings,
    after: settings,
    gateState: replaced.gate.state,
    gateMayAct: replaced.gate.judge?.trust === 'trustworthy' && replaced.gate.judge.cannotActReason === null,
    servedModels: new Set(history.map((past) => mainModel(past.settings))),
    isForced: requested.force,
  }
  const found: Evidence[] = []
  for (const move of moves) found.push(await findEvidence(deps, { move, known, identity, since }))
  return several(found)
}

function several(found: readonly Evidence[]): Evidence {
  const [only = {}] = found
  return found.length === 1 ? only : { kind: 'several', moves: found }
}

/** @throws ServiceError unless an owner acts who, as a person, signed in lately */
function requireOwner(
  identity: Identity,
  { param, action }: { readonly param: string; readonly action: string },
): void {
  if (identity.role !== 'owner') {
    throw new ServiceError('insufficient_permissions', `Only an owner may ${action}.`, { param })
  }
  if (identity.session?.isFresh === false) {
    throw new ServiceError('fresh_sign_in_required', `Sign in again to ${action}.`, { param })
  }
}

const gateFields = ['target_model', 'canary_model', 'gate_mode', 'gate_rollback_threshold', 'gate_confidence'] as const

/** Whether the change sets a gate that would promote by itself on less than a change by a person needs. */
function promotesOnLittle(before: AliasSettings | null, after: AliasSettings): boolean {
  if (!isGated(after) || after.gate_mode !== 'auto' || isStrict(after)) return false
  return before === null || !isGated(before) || gateFields.some((field) => before[field] !== after[field])
}

/**
 * The moves that a change makes: to models that may get all requests, or all of a prompt family, after it, at once or by a
 * rollback, and not before it. A move to the target of before is none. A model of one family is new for others and for the
 * alias.
 */
function movesOf(before: AliasSettings, after: AliasSettings): readonly Move[] {
  const from = mainModel(before)
  const known = new Set([from, before.target_model])
  const ofFamilies = new Map(before.family_rules.map(({ segment, model }) => [segment, model]))
  const added = after.family_rules.filter(({ segment, model }) => ofFamilies.get(segment) !== model)
  const possible = new Set([mainModel(after), after.target_model, ...added.flatMap(({ model }) => model ?? [])])
  return [...possible].filter((to) => !known.has(to)).map((to) => ({ from, to }))
}

interface Search {
  readonly move: Move
  readonly known: KnownEvidence
  readonly identity: Identity
  readonly since: Date
}

async function findEvidence(deps: EvidenceDeps, search: Search): Promise<Evidence> {
  const { move, known, identity } = search
  const evidence = localEvidence(move, known)
  if (evidence !== null) return evidence
  const found = await comparingEvals(deps, search)
  // What people prove depends on no judge, so it is enough while none can be read.
  const byPeople = found.find((each) => isProvenByPeople(each, known.after))
  if (byPeople !== undefined) return { kind: 'eval', by: 'people', ...move, ...byPeople }
  const evals = await recheckJudges(deps, identity, found)
  const byJudge = evals.find((each) => isProvenByJudge(each, known.after))
  if (byJudge !== undefined) return { kind: 'eval', by: 'judge', ...move, ...byJudge }
  throw refusal(move, known, evals)
}

function localEvidence(move: Move, known: KnownEvidence): Evidence | null {
  const { canary_model: canary, gate_rollback_threshold: margin } = known.before
  if (known.servedModels.has(move.to)) return { kind: 'served_before', ...move }
  const isReady = known.gateState === 'promote_ready' && known.gateMayAct
  if (isReady && canary === move.to && isStrict(known.before)) return { kind: 'canary', ...move, margin }
  return known.isForced ? { kind: 'forced', ...move } : null
}
