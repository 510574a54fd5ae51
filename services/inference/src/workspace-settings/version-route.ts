/** A model version of a workspace that requests can name. */
export interface VersionRoute {
  readonly id: string
  readonly name: string
  /** Id of the model whose price it has. */
  readonly baseModel: string
  /** Id of the model of the catalog that answers as it does; null when only the pool serves it. */
  readonly servedAs: string | null
  /** Null when the pool does not serve it. */
  readonly pool: VersionPool | null
  readonly createdAt: Date
}

/** Engines that serve a version beside others of its base. */
export interface VersionPool {
  /** UUID of the version. */
  readonly versionId: string
  /** The name under which engines have loaded it. Other weights have another name. */
  readonly adapter: string
  /** Of the engines that have proven it, `http://host:port`. Empty while none has it loaded: then it is loaded when it is asked for. */
  readonly addresses: readonly string[]
}
