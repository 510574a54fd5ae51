import { createRetryBudget } from '../routing/retry-budget.ts'
import type { ReplicaDeployments } from './replica-deployments.ts'

/** No endpoint has a replica. */
export const noReplicas: Pick<ReplicaDeployments, 'of'> = {
  of: () => ({ deployments: [], budget: createRetryBudget() }),
}
