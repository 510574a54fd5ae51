import type { CatalogModel } from '../catalog/catalog.ts'
import type { WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import type { Deployment } from './deployment.ts'
import type { RetryBudget } from './retry-budget.ts'

export interface ModelCaller {
  readonly workspaceId: string
  readonly settings: WorkspaceSettings
}

/** The deployments of a model for one caller. */
export interface DeployedModel {
  readonly deployments: readonly Deployment[]
  readonly budget: RetryBudget
}

/** The deployments of models, with the platform's keys or with a workspace's own. */
export interface ProviderDirectory {
  /** Ids of the providers that can be called. */
  configured(settings: WorkspaceSettings): ReadonlySet<string>
  /** @param model of a configured provider */
  deploymentsOf(model: CatalogModel, caller: ModelCaller): DeployedModel
  /** Deployments that are ejected at present. */
  ejected(): readonly Deployment[]
}
