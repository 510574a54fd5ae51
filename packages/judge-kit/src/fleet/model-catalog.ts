import type { Identity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

export interface CatalogModel {
  readonly id: string
  readonly isChat: boolean
  readonly capabilities: readonly string[]
  /** US dollars per million tokens. */
  readonly inputPerMtok: number
  readonly outputPerMtok: number
  readonly maxOutputTokens: number
}

/** The models that a workspace can call. */
export interface ModelCatalog {
  /**
   * Null for an unknown name.
   *
   * @throws ServiceError when the provider of the model has no key, or the catalog is unavailable
   */
  find(identity: Identity, name: string): Promise<CatalogModel | null>
}

/** @throws ServiceError naming `judge_model` when the name is not a chat model */
export function requireJudgeModel(
  catalog: ModelCatalog,
  { identity, name }: { readonly identity: Identity; readonly name: string },
): Promise<CatalogModel> {
  return requireChatModel(catalog, { identity, name, param: 'judge_model' })
}

interface NamedModel {
  readonly identity: Identity
  readonly name: string
  /** The field with the name. */
  readonly param: string
}

/** @throws ServiceError naming the field when the name is not a chat model */
export async function requireChatModel(
  catalog: ModelCatalog,
  { identity, name, param }: NamedModel,
): Promise<CatalogModel> {
  const model = await catalog.find(identity, name)
  if (model === null) throw new ServiceError('model_not_found', `There is no model ${JSON.stringify(name)}.`, { param })
  if (model.isChat) return model
  throw new ServiceError('invalid_request', `\`${param}\` must be a chat model; ${model.id} is not.`, { param })
}
