import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { Identity } from '@ratchet/contracts/identity'
import type { VersionFacts } from '@ratchet/contracts/internal-versions'
import { minAuditGrades } from '@ratchet/contracts/model-versions'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { isVersionName, servedArms } from './adopted-arms.ts'
import { mainModel, type StoredAlias } from './alias.ts'
import { type ComparingDeps, comparingEvals, recheckJudges } from './comparing-evals.ts'
import type { AliasEvents } from './pg-alias-events.ts'
import { type ComparingEval, isProvenByJudge, isProvenByPeople, type Move } from './weigh-evals.ts'

export interface ProveDeps extends ComparingDeps {
  readonly events: Pick<AliasEvents, 'history'>
}

export interface ProductQuestion {
  readonly settings: AliasSettings
  readonly isForced: boolean
  readonly identity: Identity
  /** What the change replaces; null for a new alias. */
  readonly replaced: Pick<StoredAlias, 'id' | 'settings'> | null
  /** Evals that ended before do not count. */
  readonly since: Date
}

type Proof = Move & Readonly<Record<string, unknown>>

/** Largest upper bound of the share of false passes. */
const maxFalsePass = 0.2
/** Earlier comparisons on the prompts of an eval from which on it proves nothing. */
const maxProofUses = 10

/**
 * Finds the evidence for model versions that get requests after a change and never got any of this alias. One that was made by
 * a judge's reward always needs it, also as a canary and of a new alias: what rewarded it is what it was made to please. All
 * others need what the policy asks for.
 *
 * @throws ServiceError `precondition_failed` with everything that is missing; `conflict` for a version that was rejected
 */
export async function proveProducts(deps: ProveDeps, question: ProductQuestion): Promise<readonly Proof[]> {
  const { settings, identity, replaced } = question
  const added = addedVersions(replaced?.settings ?? null, settings)
  if (added.length === 0) return []
  const before = replaced === null ? [] : await deps.events.history(replaced.id, new Date(0))
  const served = new Set(before.flatMap((past) => servedVersions(past.settings)))
  const proofs: Proof[] = []
  for (const to of added) {
    const facts = served.has(to) ? null : await deps.versions.factsOf(identity, to)
    if (facts?.status === 'rejected') throw new ServiceError('conflict', `${to} was rejected.`)
    if (facts?.from_reward !== true) continue
    const from = replaced === null ? facts.start_model : mainModel(replaced.settings)
    proofs.push(await prove(deps, question, { facts, move: { from, to } }))
  }
  return proofs
}

function servedVersions(settings: AliasSettings): readonly string[] {
  const ofFamilies = settings.family_rules.flatMap(({ model }) => model ?? [])
  return [...servedArms(settings).map(({ model }) => model), ...ofFamilies].filter(isVersionName)
}

function addedVersions(before: AliasSettings | null, after: AliasSettings): readonly string[] {
  const known = new Set(before === null ? [] : servedVersions(before))
  return [...new Set(servedVersions(after))].filter((model) => !known.has(model))
}

interface Product {
  readonly facts: VersionFacts
  readonly move: Move
}

async function prove(deps: ProveDeps, question: ProductQuestion, { facts, move }: Product): Promise<Proof> {
  const { identity, settings, since, isForced } = question
  if (isForced) return { kind: 'forced', ...move }
  const found = await recheckJudges(deps, identity, await comparingEvals(deps, { move, identity, since }))
  const proof = found.find((each) => isProof(each, settings))
  const missing = [
    ...(proof === undefined ? [missingEval(move, found, settings)] : []),
    ...missingGuard(facts),
    ...missingAudit(facts),
  ]
  if (missing.length > 0 || proof === undefined) throw refusal(move, missing)
  const { guard, audit } = facts
  return { kind: 'reward', ...move, eval_id: proof.evalId, evidence: proof.evidence, guard, audit }
}

function isProof(found: ComparingEval, after: AliasSettings): boolean {
  return isFresh(found) && (isProvenByPeople(found, after) || (found.isIndependent && isProvenByJudge(found, after)))
}

function isFresh({ evidence }: ComparingEval): boolean {
  return evidence !== null && evidence.prompt_uses < maxProofUses
}

interface Missing {
  readonly requirement: 'eval' | 'guard' | 'audit' | 'force'
  readonly detail: string
  readonly evals?: readonly object[]
}

function missingEval({ from, to }: Move, found: readonly ComparingEval[], after: AliasSettings): Missing {
  const evals = found.map((each) => ({
    eval_id: each.evalId,
    win_rate_low: each.evidence?.win_rate_low ?? null,
    people: each.evidence?.people ?? null,
    trained_prompts: each.trainedPrompts,
    independent: each.isIndependent,
    proof_uses: each.evidence?.prompt_uses ?? null,
    proves: isProvenByPeople(each, after) || isProvenByJudge(each, after),
  }))
  const detail = `A DONE eval of the last 30 days from ${from} to ${to} with a lower bound of the win rate of 0.5 or above, on prompts that the version was neither trained on nor chosen by, such as those of the \`-eval\` dataset, with fewer than ${maxProofUses} earlier comparisons on them; decided by people, or by a criterion that neither rewarded the training nor has a judge of the family of one that did.`
  return { requirement: 'eval', detail: detail + usedPromptsText(found), evals }
}

/** Which evals prove nothing because of their prompts. */
function usedPromptsText(found: readonly ComparingEval[]): string {
  const used = found.filter(({ trainedPrompts }) => (trainedPrompts ?? 0) > 0)
  return used
    .map(
      ({ evalId, trainedPrompts }) => ` ${evalId} has ${trainedPrompts} prompts that it was trained on or chosen by.`,
    )
    .join('')
}

function missingGuard({ guard }: VersionFacts): readonly Missing[] {
  if (guard !== 'diverging' && guard !== 'regressed') return []
  const detail = `The guard of its training found it \`${guard}\` at this step. Adopt the version of an earlier step.`
  return [{ requirement: 'guard', detail }]
}

function missingAudit({ audit }: VersionFacts): readonly Missing[] {
  if (audit !== null && audit.graded >= minAuditGrades && audit.upper <= maxFalsePass) return []
  const state =
    audit === null
      ? 'nobody has graded any'
      : `${audit.graded} are graded, ${audit.false_pass} of them false passes, with the bound ${audit.upper.toFixed(3)}`
  const detail = `At least ${minAuditGrades} of its best-scored answers graded blind by people, with at most ${maxFalsePass} as the upper bound of the share that the judge passed and people did not: ${state}.`
  return [{ requirement: 'audit', detail }]
}

function refusal({ to }: Move, missing: readonly Missing[]): ServiceError {
  const force = {
    requirement: 'force' as const,
    detail: 'Instead of all of these, an owner may force it with a `reason`, which is audited.',
  }
  const message = `${to} was made by a judge's reward, so its adoption needs evidence; error.details.missing lists all that is missing.`
  return new ServiceError('precondition_failed', message, { details: { all_of: true, missing: [...missing, force] } })
}
