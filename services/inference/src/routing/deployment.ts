import type { Provider } from '../wire/provider.ts'
import type { DeploymentHealth } from './deployment-health.ts'

/** One place where a model runs: an address, a key, and what is known of how it is doing. */
export interface Deployment {
  /** Unique in this process, for logs and metrics, such as `openai/gpt-4o-mini@eu`. */
  readonly id: string
  readonly provider: Provider
  /** Where it is reached; null for an address that a workspace brought, which is for nobody else to see. */
  readonly host: string | null
  /** What the provider calls the model there. */
  readonly upstreamModel: string
  /** Its share of the traffic, relative to the model's other deployments; > 0. */
  readonly weight: number
  readonly health: DeploymentHealth
}
