import type { Deployment } from './deployment.ts'

export interface Choice {
  /** Deployments where this request failed already. They are used only when there is no other. */
  readonly tried: ReadonlySet<Deployment>
  /** Uniform in [0, 1). */
  readonly unit: number
}

/**
 * Chooses a deployment by weight, or the least busy one of a dedicated endpoint, and takes a place there. Ejected deployments are skipped while another one is healthy.
 * When all are ejected any may be used, so a model is never permanently unavailable.
 *
 * @returns null when every deployment has its maximum number of calls in flight
 */
export function chooseDeployment(deployments: readonly Deployment[], { tried, unit }: Choice): Deployment | null {
  for (const group of inOrderOfPreference(deployments, tried)) {
    for (const deployment of weighted(group, unit)) {
      if (deployment.health.tryEnter()) return deployment
    }
  }
  return null
}

function inOrderOfPreference(
  deployments: readonly Deployment[],
  tried: ReadonlySet<Deployment>,
): readonly (readonly Deployment[])[] {
  if (deployments.length === 1) return [deployments]
  const isFresh = (deployment: Deployment) => !tried.has(deployment)
  const { well = [], ejected = [] } = Object.groupBy(deployments, ({ health }) =>
    health.isEjected() ? 'ejected' : 'well',
  )
  return [well.filter(isFresh), well, ejected.filter(isFresh), ejected]
}

/** The deployment whose slice of [0, Σ weights) contains `unit`, then the others in order. */
function weighted(group: readonly Deployment[], unit: number): readonly Deployment[] {
  if (group.length < 2) return group
  if (group[0]?.leastBusy === true) return [...group].sort((a, b) => a.health.inFlight - b.health.inFlight)
  let left = unit * group.reduce((sum, { weight }) => sum + weight, 0)
  const index = group.findIndex(({ weight }) => {
    left -= weight
    return left < 0
  })
  const first = Math.max(0, index)
  return [...group.slice(first), ...group.slice(0, first)]
}
