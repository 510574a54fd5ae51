/** A model version of a workspace that requests can name. It never changes. */
export interface VersionRoute {
  readonly id: string
  readonly name: string
  /** Id of the model whose price it has. */
  readonly baseModel: string
  /** Id of the model that answers. */
  readonly servedAs: string
  readonly createdAt: Date
}
