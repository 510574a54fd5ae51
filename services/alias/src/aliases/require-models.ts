import type { PutAlias } from '@ratchet/contracts/aliases'
import type { Identity } from '@ratchet/contracts/identity'
import type { CatalogModel, ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { FindModelsNamed } from './find-models-named.ts'

type ModelField = 'target_model' | 'canary_model' | 'shadow_model'

/** The models of an alias, by the ids that the catalog has for them. */
export type FoundModels = Readonly<Record<ModelField, string | null>> & { readonly target_model: string }

export interface ModelsDeps {
  readonly models: ModelCatalog
  readonly modelsNamed: FindModelsNamed
}

interface ModelsQuestion {
  readonly identity: Identity
  readonly requested: PutAlias
  /** Whether there is no alias of this name yet. */
  readonly isNew: boolean
}

/**
 * Looks every model of an alias up in the live catalog, and its name too.
 *
 * @throws ServiceError naming the field whose model cannot be called, or does not go with the others
 */
export async function requireModels(
  { models, modelsNamed }: ModelsDeps,
  { identity, requested, isNew }: ModelsQuestion,
): Promise<FoundModels> {
  // The catalog may have come to answer to a name that was taken before; that alias can still be moved.
  if (isNew) await refuseShadowing(modelsNamed, { identity, requested })
  const find = (field: ModelField) => findModel(models, { identity, field, name: requested[field] })
  const target = await find('target_model')
  const canary = await find('canary_model')
  const shadow = await find('shadow_model')
  if (target === null) throw new RangeError('an alias has a target')
  if (canary !== null && kindOf(canary) !== kindOf(target)) {
    throw misfit('canary_model', `\`canary_model\` must be of the kind of the target; ${canary.id} is not.`)
  }
  if (shadow !== null && !(shadow.isChat && target.isChat)) {
    throw misfit('shadow_model', '`shadow_model` mirrors chat models, and must be one.')
  }
  if (requested.gate_mode !== null && !target.isChat) {
    throw misfit('gate_mode', `A gate watches chat models; ${target.id} is none.`)
  }
  refuseOne(target, canary, 'canary_model')
  refuseOne(target, shadow, 'shadow_model')
  if (canary !== null && shadow?.id === canary.id) {
    throw misfit('shadow_model', '`shadow_model` is the canary already.')
  }
  return { target_model: target.id, canary_model: canary?.id ?? null, shadow_model: shadow?.id ?? null }
}

/** Which surface a model serves. */
function kindOf({ capabilities }: CatalogModel): string {
  return ['chat', 'embeddings', 'rerank'].find((kind) => capabilities.includes(kind)) ?? ''
}

/** Two names may be of one model. */
function refuseOne(target: CatalogModel, other: CatalogModel | null, param: ModelField): void {
  if (other?.id === target.id) throw misfit(param, `\`${param}\` is the target already.`)
}

/**
 * An alias is found before the catalog, so it must not have a name of the catalog's, nor one that is the catalog's once
 * somebody has a key.
 */
async function refuseShadowing(
  modelsNamed: FindModelsNamed,
  { identity, requested: { name } }: Pick<ModelsQuestion, 'identity' | 'requested'>,
): Promise<void> {
  const [model] = await modelsNamed(identity, name)
  if (model === undefined) return
  throw new ServiceError('alias_shadows_model', `The catalog answers to ${name}: it is ${model}.`, { param: 'name' })
}

async function findModel(
  models: ModelCatalog,
  { identity, field, name }: { readonly identity: Identity; readonly field: ModelField; readonly name: string | null },
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

function misfit(param: string, message: string): ServiceError {
  return new ServiceError('invalid_request', message, { param })
}
