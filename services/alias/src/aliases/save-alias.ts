import type { AliasSettings, PutAlias } from '@ratchet/contracts/aliases'
import type { Identity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { GateJudge } from '../gate/gate-judge.ts'
import type { Actor, StoredAlias } from './alias.ts'
import { requireRoom, requireRoomForRules } from './alias-room.ts'
import { changeAlias, rolledBack } from './change-alias.ts'
import { checkSettings, type ModelsDeps, requireModels } from './check-settings.ts'
import { type EvidenceDeps, requireEvidence } from './evidence.ts'
import type { AliasStore } from './pg-aliases.ts'
import { type Precondition, requirePrecondition } from './precondition.ts'
import { type FindJudge, refuseRulesForRuns, requireJudge } from './require-judge.ts'

export interface SaveAliasDeps extends EvidenceDeps, ModelsDeps {
  readonly aliases: AliasStore
  readonly findJudge: FindJudge
  readonly newId: () => string
  /** The lowest id that an exchange of a moment can have. */
  readonly firstIdAt: (at: Date) => string
}

export interface Writer {
  readonly identity: Identity
  readonly requestId: string
  readonly precondition: Precondition
}

/** Attempts at a change while other changes come first. */
const maxAttempts = 10

/** Creates or replaces an alias. @throws ServiceError that says what is invalid, lacks evidence, or was changed meanwhile */
export async function replaceAlias(deps: SaveAliasDeps, requested: PutAlias, writer: Writer): Promise<StoredAlias> {
  const { identity } = writer
  checkSettings(requested)
  const { force: _force, reason, family_rules: _rules, ...fields } = requested
  const find = () => deps.aliases.get({ workspaceId: identity.workspaceId, name: requested.name })
  const isNew = (await find()) === null
  const models = await requireModels(deps, { identity, requested, isNew })
  const judge = await requireJudge(deps.findJudge, { identity, requested })
  return withRetries(async () => {
    const current = await find()
    const rules = models.family_rules ?? current?.settings.family_rules ?? []
    const settings = { ...fields, ...models, family_rules: [...rules] }
    refuseRulesForRuns(judge, settings)
    requirePrecondition(current?.version ?? null, writer.precondition)
    await requireSpace(deps.aliases, identity.workspaceId, { current, settings })
    const evidence = await requireEvidence(deps, { current, settings, requested, identity })
    return save(deps, writer, { current, settings, judge, evidence, reason })
  })
}

/** Before evidence is read. It is compared again with what others have saved meanwhile. */
async function requireSpace(
  aliases: AliasStore,
  workspaceId: string,
  { current, settings: { name, family_rules: rules } }: Pick<NewState, 'current' | 'settings'>,
): Promise<void> {
  if (current === null) requireRoom({ aliases: (await aliases.count(workspaceId)) + 1 })
  if (rules.length <= (current?.settings.family_rules.length ?? 0)) return
  requireRoomForRules({ rules: (await aliases.countRulesBeside({ workspaceId, name })) + rules.length })
}

/** Sends all requests to the target again. */
export function rollBackAlias(
  deps: SaveAliasDeps,
  { name, reason }: { readonly name: string; readonly reason: string | null },
  writer: Writer,
): Promise<StoredAlias> {
  return withRetries(async () => {
    const current = await requireAlias(deps.aliases, writer.identity, name)
    requirePrecondition(current.version, writer.precondition)
    const settings = rolledBack(current.settings)
    const { judge } = current.gate
    return save(deps, writer, { current, settings, judge, evidence: null, reason, isRollback: true })
  })
}

export function removeAlias(deps: SaveAliasDeps, name: string, writer: Writer): Promise<true> {
  return withRetries(async () => {
    const alias = await requireAlias(deps.aliases, writer.identity, name)
    requirePrecondition(alias.version, writer.precondition)
    const { id: aliasId, workspaceId, settings } = alias
    const isDeleted = await deps.aliases.delete(alias, {
      id: deps.newId(),
      workspaceId,
      aliasId,
      aliasName: settings.name,
      kind: 'delete',
      actor: actorOf(writer),
      before: settings,
      after: null,
      evidence: null,
      reason: null,
      createdAt: deps.now(),
    })
    return isDeleted || null
  })
}

interface NewState {
  readonly current: StoredAlias | null
  readonly settings: AliasSettings
  readonly judge: GateJudge | null
  readonly evidence: Readonly<Record<string, unknown>> | null
  readonly reason: string | null
  readonly isRollback?: boolean
}

/** @returns the alias; null when another change came first */
async function save(deps: SaveAliasDeps, writer: Writer, state: NewState): Promise<StoredAlias | null> {
  const { aliases, now, newId, firstIdAt } = deps
  const { workspaceId } = writer.identity
  const change = changeAlias({ ...state, actor: actorOf(writer), workspaceId, at: now(), newId, firstIdAt })
  if (change === null) return state.current
  return (await aliases.save(change)) ? change.alias : null
}

/** Repeats an attempt, from reading the alias on, until no other change comes first. */
async function withRetries<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let attempts = 0; attempts < maxAttempts; attempts += 1) {
    const result = await attempt()
    if (result !== null) return result
  }
  throw new ServiceError('conflict', 'The alias was modified concurrently. Retry.', { retryAfterSeconds: 1 })
}

function actorOf({ identity, requestId }: Writer): Actor {
  return { type: 'user', userId: identity.userId, keyId: identity.keyId, requestId }
}

/** @throws ServiceError `not_found`, also for an alias of another workspace */
export async function requireAlias(
  aliases: Pick<AliasStore, 'get'>,
  { workspaceId }: Pick<Identity, 'workspaceId'>,
  name: string,
): Promise<StoredAlias> {
  const alias = name.includes('\0') ? null : await aliases.get({ workspaceId, name })
  if (alias === null) throw aliasNotFound()
  return alias
}

export function aliasNotFound(): ServiceError {
  return new ServiceError('not_found', 'No alias has this name.', { param: 'name' })
}
