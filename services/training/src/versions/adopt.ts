import type { Alias, PutAlias } from '@ratchet/contracts/aliases'
import type { Identity } from '@ratchet/contracts/identity'
import type { AdoptModelVersion } from '@ratchet/contracts/model-version-changes'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { z } from 'zod'
import type { AliasCalls } from './alias-calls.ts'
import { isServed, type StoredVersion } from './model-version.ts'

export interface AdoptDeps {
  readonly aliases: AliasCalls
}

export interface Adoption {
  readonly version: StoredVersion
  readonly request: AdoptModelVersion
  readonly identity: Identity
}

const defaultPercent = 10

/**
 * Lets an alias route to a version. The alias service decides whether it may, as for every other change of an alias.
 *
 * @throws ServiceError `conflict` for a version that was rejected or archived, `version_not_in_catalog`, and what the alias
 *   service refuses
 */
export async function adoptVersion({ aliases }: AdoptDeps, { version, request, identity }: Adoption): Promise<Alias> {
  requireAdoptable(version)
  const current = await aliases.get(identity, request.aliasName)
  requireVersionOf(current, request)
  const requested = current === null ? newAlias(version, request) : changedAlias(current, version, request)
  try {
    return await aliases.put(identity, requested, { version: current?.version ?? null })
  } catch (error) {
    throw asAdoptionRefusal(error, version)
  }
}

function requireAdoptable(version: StoredVersion): void {
  requireOpen(version)
  if (!isServed(version)) throw notInCatalog(version.name)
}

/** @throws ServiceError `conflict` for a version that was rejected or archived */
export function requireOpen({ status }: Pick<StoredVersion, 'status'>): void {
  if (status !== 'rejected' && status !== 'archived') return
  throw new ServiceError('conflict', `The version is ${status} and cannot be adopted.`)
}

function notInCatalog(name: string, cause?: unknown): ServiceError {
  const message = `Nothing serves ${name} under a name that an alias can route to.`
  return new ServiceError('version_not_in_catalog', message, { cause })
}

function requireVersionOf(current: Alias | null, { ifMatch }: AdoptModelVersion): void {
  if (ifMatch == null || current?.version === ifMatch) return
  const present = current === null ? 'This alias does not exist.' : `This alias has version ${current.version} now.`
  throw new ServiceError('version_conflict', `${present} Read it again before you change it.`, {
    param: 'ifMatch',
    details: { version: current?.version ?? null },
  })
}

type AliasBody = z.input<typeof PutAlias>

function newAlias({ name }: StoredVersion, request: AdoptModelVersion): AliasBody {
  const { aliasName, canaryPercent } = request
  if (canaryPercent != null && canaryPercent !== 100) {
    const message = `There is no alias ${aliasName}, so there is nothing to split its requests with. Leave \`canaryPercent\` out, or create the alias first.`
    throw invalidRequest('canaryPercent', message)
  }
  return { name: aliasName, target_model: name, ...gateOf(request), ...audited(request) }
}

/** The version becomes the canary, beside the model that most requests are meant for; as a target, it takes them all back. */
function changedAlias(current: Alias, { name }: StoredVersion, request: AdoptModelVersion): AliasBody {
  const settings = { ...writable(current), ...gateOf(request), ...audited(request) }
  const percent = request.canaryPercent ?? defaultPercent
  const { target_model, canary_model, canary_percent } = current
  if (target_model === name) return { ...settings, canary_percent: canary_model === null ? 0 : 100 - percent }
  const main = canary_percent === 100 && canary_model !== null && canary_model !== name ? canary_model : target_model
  return { ...settings, target_model: main, canary_model: name, canary_percent: percent }
}

/** The settings of an alias that a change writes again; its rules for families stay by themselves. */
function writable(current: Alias): AliasBody {
  const {
    object: _object,
    family_rules: _rules,
    gate_state: _state,
    gate_plan: _plan,
    gate_plan_missing: _missing,
    created_at: _created,
    updated_at: _updated,
    updated_by: _by,
    version: _version,
    ...settings
  } = current
  return settings
}

function gateOf({ gateCriterionId, gateMode }: AdoptModelVersion): Partial<AliasBody> {
  return {
    ...(gateCriterionId == null ? {} : { gate_criterion_id: gateCriterionId }),
    ...(gateMode == null ? {} : { gate_mode: gateMode }),
  }
}

function audited({ force, reason }: AdoptModelVersion): Partial<AliasBody> {
  return { force, reason: reason ?? null }
}

/** Its fields, as this request names them. */
const fieldNames: Readonly<Record<string, string>> = {
  name: 'aliasName',
  canary_percent: 'canaryPercent',
  gate_criterion_id: 'gateCriterionId',
  gate_mode: 'gateMode',
  'If-Match': 'ifMatch',
  'If-None-Match': 'aliasName',
}

function asAdoptionRefusal(error: unknown, { name }: StoredVersion): unknown {
  if (!(error instanceof ServiceError)) return error
  if (error.code === 'unknown_model' || error.code === 'unknown_provider') return notInCatalog(name, error)
  const param = error.param === null ? undefined : fieldNames[error.param]
  if (param === undefined) return error
  const { code, details, headers, cause } = error
  const message = error.message.replaceAll(/`(\w+)`/g, (quoted, field: string) => {
    const name = fieldNames[field]
    return name === undefined ? quoted : `\`${name}\``
  })
  return new ServiceError(code, message, { param, headers, cause, ...(details === undefined ? {} : { details }) })
}
