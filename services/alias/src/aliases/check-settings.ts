import type { PutAlias } from '@ratchet/contracts/aliases'
import type { FamilyRule } from '@ratchet/contracts/family-rules'
import type { Identity } from '@ratchet/contracts/identity'
import { modelsNamed } from '@ratchet/contracts/internal-catalog'
import type { CatalogModel, ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'

/** Checks the fields against each other. @throws ServiceError that names a field */
export function checkSettings(requested: PutAlias): void {
  const { target_model, canary_model, canary_percent, shadow_model, shadow_percent } = requested
  if (canary_percent > 0 && canary_model === null) {
    throw invalidRequest(
      'canary_model',
      '`canary_model` is required with `canary_percent`; PUT replaces the whole alias.',
    )
  }
  if (canary_model === target_model) throw invalidRequest('canary_model', '`canary_model` is the target already.')
  if (shadow_percent > 0 && shadow_model === null) {
    throw invalidRequest('shadow_model', '`shadow_model` is required with `shadow_percent`.')
  }
  if (shadow_model === target_model) throw invalidRequest('shadow_model', '`shadow_model` is the target already.')
  if (requested.gate_mode !== null && requested.gate_criterion_id === null) {
    throw invalidRequest(
      'gate_criterion_id',
      '`gate_criterion_id` is required with `gate_mode`: it names the judge of both arms.',
    )
  }
  if (requested.force && requested.reason === null) throw invalidRequest('reason', '`reason` is required with `force`.')
}

type ModelField = 'target_model' | 'canary_model' | 'shadow_model'

/** The models of an alias under their ids in the catalog. */
export type FoundModels = Readonly<Record<ModelField, string | null>> & {
  readonly target_model: string
  /** Undefined when the rules of before stay. */
  readonly family_rules: readonly FamilyRule[] | undefined
}

export interface ModelsDeps {
  readonly models: ModelCatalog
  readonly modelsNamed: FindModelsNamed
}

interface ModelsQuestion {
  readonly identity: Identity
  readonly requested: PutAlias
  /** Whether no alias of this name exists yet. */
  readonly isNew: boolean
}

/**
 * Finds every model of an alias in the live catalog, and checks that the catalog does not know the name of a new alias.
 *
 * @throws ServiceError that names the field whose model cannot be called, or does not match the others
 */
export async function requireModels(deps: ModelsDeps, question: ModelsQuestion): Promise<FoundModels> {
  const { identity, requested, isNew } = question
  // The catalog may have got a model of this name after the alias was created. Such an alias can still be changed.
  if (isNew) await refuseNameOfModel(deps.modelsNamed, identity, requested.name)
  const find = (field: ModelField) => findModel(deps.models, { identity, field, name: requested[field] })
  const target = await find('target_model')
  const canary = await find('canary_model')
  const shadow = await find('shadow_model')
  if (target === null) throw new RangeError('an alias has a target')
  if (canary !== null && kindOf(canary) !== kindOf(target)) {
    throw invalidRequest('canary_model', `\`canary_model\` must be of the kind of the target; ${canary.id} is not.`)
  }
  if (shadow !== null && !(shadow.isChat && target.isChat)) {
    throw invalidRequest('shadow_model', '`shadow_model` and the target must be chat models.')
  }
  if (requested.gate_mode !== null && !target.isChat) {
    throw invalidRequest('gate_mode', `${target.id} is not a chat model; a gate requires chat models.`)
  }
  refuseSameModel(target, canary, 'canary_model')
  refuseSameModel(target, shadow, 'shadow_model')
  if (canary !== null && shadow?.id === canary.id) {
    throw invalidRequest('shadow_model', '`shadow_model` is the canary already.')
  }
  const family_rules = await requireFamilyModels(deps, { identity, requested, target })
  return { target_model: target.id, canary_model: canary?.id ?? null, shadow_model: shadow?.id ?? null, family_rules }
}

async function requireFamilyModels(
  { models }: ModelsDeps,
  { identity, requested, target }: Omit<ModelsQuestion, 'isNew'> & { readonly target: CatalogModel },
): Promise<readonly FamilyRule[] | undefined> {
  const { family_rules: rules } = requested
  if (rules === undefined) return undefined
  const names = new Set(rules.flatMap(({ model }) => model ?? []))
  const found = new Map<string, string>()
  for (const name of names) {
    const model = await findModel(models, { identity, field: 'family_rules', name })
    if (model === null) continue
    if (kindOf(model) !== kindOf(target)) {
      throw invalidRequest(
        'family_rules',
        `Models of \`family_rules\` must be of the kind of the target; ${model.id} is not.`,
      )
    }
    found.set(name, model.id)
  }
  return rules.map(({ segment, model }) => ({ segment, model: model === null ? null : (found.get(model) ?? model) }))
}

/** The endpoint that a model serves. */
function kindOf({ capabilities }: CatalogModel): string {
  const served = ['chat', 'embeddings', 'rerank', 'moderations', 'images', 'speech', 'transcriptions']
  return served.find((kind) => capabilities.includes(kind)) ?? ''
}

/** Two different names in the request may be names of one model. */
function refuseSameModel(target: CatalogModel, other: CatalogModel | null, param: ModelField): void {
  if (other?.id === target.id) throw invalidRequest(param, `\`${param}\` is the target already.`)
}

/**
 * Inference finds an alias before a model of the catalog, so an alias must not have the name of a model, nor of one that
 * the workspace can call only after it adds a provider key.
 */
async function refuseNameOfModel(find: FindModelsNamed, identity: Identity, name: string): Promise<void> {
  const [model] = await find(identity, name)
  if (model === undefined) return
  throw new ServiceError('alias_shadows_model', `${name} is a name of the model ${model}.`, { param: 'name' })
}

async function findModel(
  models: ModelCatalog,
  {
    identity,
    field,
    name,
  }: { readonly identity: Identity; readonly field: ModelField | 'family_rules'; readonly name: string | null },
): Promise<CatalogModel | null> {
  if (name === null) return null
  if (name.startsWith('dedicated/')) {
    throw new ServiceError('alias_target_dedicated', 'An alias cannot route to a dedicated endpoint.', { param: field })
  }
  const model = await models.find(identity, name).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== 'unknown_provider') throw error
    throw new ServiceError('unknown_provider', error.message, { param: field, cause: error })
  })
  if (model !== null) return model
  throw new ServiceError('unknown_model', `There is no model ${JSON.stringify(name)} in the catalog.`, { param: field })
}

/** Ids of the models that a name refers to, with or without a key for their provider. */
export type FindModelsNamed = (identity: Identity, name: string) => Promise<readonly string[]>

/** @throws ServiceError `service_unavailable` when the catalog cannot be read now */
export function createFindModelsNamed(inference: Pick<FleetClient, 'call'>): FindModelsNamed {
  return async (identity, name) => {
    try {
      return (await inference.call(modelsNamed, { params: { name } }, identity)).models
    } catch (cause) {
      if (!(cause instanceof FleetCallError)) throw cause
      const message = 'The model catalog is unavailable. Retry.'
      throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
    }
  }
}
