import type { Provider } from '../wire/provider.ts'
import type { DeploymentHealth } from './deployment-health.ts'

/** One place where a model runs: an address, a key, and its health. */
export interface Deployment {
  /** Unique in this process, for logs and metrics, such as `openai/gpt-4o-mini@eu`. */
  readonly id: string
  readonly provider: Provider
  /** The host; null for an address that a workspace entered, which must not appear in logs and metrics. */
  readonly host: string | null
  /** The model's name at the provider. */
  readonly upstreamModel: string
  /** Its share of the traffic, relative to the model's other deployments; > 0. */
  readonly weight: number
  /** True: of its model's deployments, the one with the fewest calls in flight comes first, whatever their weights. */
  readonly leastBusy?: boolean
  readonly health: DeploymentHealth
}
