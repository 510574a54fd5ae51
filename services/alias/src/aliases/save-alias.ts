import type { AliasSettings, PutAlias } from '@ratchet/contracts/aliases'
import type { Identity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { GateJudge } from '../gate/gate-judge.ts'
import type { Actor, AliasStore, StoredAlias } from './alias.ts'
import { changeAlias, rolledBack } from './change-alias.ts'
import { checkSettings } from './check-settings.ts'
import type { FindJudge } from './find-judge.ts'
import { type Precondition, requirePrecondition } from './precondition.ts'
import { requireAlias } from './require-alias.ts'
import { type EvidenceDeps, requireEvidence } from './require-evidence.ts'
import { requireJudge } from './require-judge.ts'
import { type ModelsDeps, requireModels } from './require-models.ts'

export interface SaveAliasDeps extends EvidenceDeps, ModelsDeps {
  readonly aliases: Pick<AliasStore, 'get' | 'count' | 'save'>
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

/** Aliases of one workspace: every process of inference has all of them at hand. */
const maxAliases = 200
/** Times that a change is tried which another one overtook. */
const maxTries = 10

/** Makes an alias what is wanted. @throws ServiceError naming what is wrong, unproven, or changed meanwhile */
export async function putDesired(deps: SaveAliasDeps, requested: PutAlias, writer: Writer): Promise<StoredAlias> {
  const { identity } = writer
  checkSettings(requested)
  const { force: _force, reason, ...asked } = requested
  const find = () => deps.aliases.get({ workspaceId: identity.workspaceId, name: requested.name })
  const isNew = (await find()) === null
  const models = await requireModels(deps, { identity, requested, isNew })
  const judge = await requireJudge(deps.findJudge, { identity, requested })
  const settings = { ...asked, ...models }
  return save(deps, writer, {
    find,
    judge: () => judge,
    settingsOf: () => settings,
    reason,
    evidenceOf: (current) => requireEvidence(deps, { current, settings, requested, identity }),
  })
}

/** Sends all requests to the target again. */
export async function rollBack(
  deps: SaveAliasDeps,
  { name, reason }: { readonly name: string; readonly reason: string | null },
  writer: Writer,
): Promise<StoredAlias> {
  return save(deps, writer, {
    find: () => requireAlias(deps.aliases, writer.identity, name),
    judge: (current) => current?.gate.judge ?? null,
    settingsOf: (current) => (current === null ? null : rolledBack(current.settings)),
    reason,
    evidenceOf: async () => null,
  })
}

interface Saving {
  readonly find: () => Promise<StoredAlias | null>
  readonly judge: (current: StoredAlias | null) => GateJudge | null
  readonly settingsOf: (current: StoredAlias | null) => AliasSettings | null
  readonly evidenceOf: (current: StoredAlias | null) => Promise<Readonly<Record<string, unknown>> | null>
  readonly reason: string | null
}

/** Reads, changes and writes, from the beginning where another change came in between. */
async function save(deps: SaveAliasDeps, writer: Writer, saving: Saving): Promise<StoredAlias> {
  const { aliases, now, newId, firstIdAt } = deps
  const { identity, precondition } = writer
  for (let attempt = 0; attempt < maxTries; attempt += 1) {
    const current = await saving.find()
    requirePrecondition(current?.version ?? null, precondition)
    const settings = saving.settingsOf(current)
    if (settings === null) throw new RangeError('nothing is wanted of an alias')
    if (current === null) await requireRoom(aliases, identity.workspaceId)
    const change = changeAlias({
      current,
      settings,
      judge: saving.judge(current),
      actor: actorOf(writer),
      workspaceId: identity.workspaceId,
      evidence: await saving.evidenceOf(current),
      reason: saving.reason,
      at: now(),
      newId,
      firstIdAt,
    })
    if (change === null && current !== null) return current
    if (change !== null && (await aliases.save(change))) return change.alias
  }
  throw new ServiceError('conflict', 'The alias was modified concurrently. Retry.', { retryAfterSeconds: 1 })
}

async function requireRoom(aliases: Pick<AliasStore, 'count'>, workspaceId: string): Promise<void> {
  if ((await aliases.count(workspaceId)) < maxAliases) return
  throw new ServiceError('conflict', `A workspace has at most ${maxAliases} aliases; delete one first.`)
}

export function actorOf({ identity, requestId }: Pick<Writer, 'identity' | 'requestId'>): Actor {
  return { type: 'user', userId: identity.userId, keyId: identity.keyId, requestId }
}
