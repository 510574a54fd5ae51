import type { Identity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/service-error'

/** What judging knows of a model. */
export interface CatalogModel {
  readonly id: string
  readonly isChat: boolean
  /** What it can do, as the catalog says it. */
  readonly capabilities: readonly string[]
  /** US dollars per million tokens. */
  readonly inputPerMtok: number
  readonly outputPerMtok: number
}

/** The models that a workspace can call. */
export interface ModelCatalog {
  /**
   * The model that a name means; null for none.
   *
   * @throws ServiceError for a name whose provider has no key, or without an answer
   */
  find(identity: Identity, name: string): Promise<CatalogModel | null>
}

/** @throws ServiceError naming `judge_model` when the name is no model that can judge */
export function requireJudgeModel(
  catalog: ModelCatalog,
  { identity, name }: { readonly identity: Identity; readonly name: string },
): Promise<CatalogModel> {
  return requireChatModel(catalog, { identity, name, param: 'judge_model' })
}

interface NamedModel {
  readonly identity: Identity
  readonly name: string
  /** The field that names it. */
  readonly param: string
}

/** @throws ServiceError naming the field when the name is no model that answers */
export async function requireChatModel(
  catalog: ModelCatalog,
  { identity, name, param }: NamedModel,
): Promise<CatalogModel> {
  const model = await catalog.find(identity, name)
  if (model === null) throw new ServiceError('model_not_found', `There is no model ${JSON.stringify(name)}.`, { param })
  if (model.isChat) return model
  throw new ServiceError('invalid_request', `\`${param}\` must be a chat model; ${model.id} is none.`, { param })
}
