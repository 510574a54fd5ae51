import { byAffinity } from './by-affinity.ts'
import type { Deployment } from './deployment.ts'

export interface Choice {
  /** Deployments where this request failed already. They are used only when there is no other. */
  readonly tried: ReadonlySet<Deployment>
  /** Uniform in [0, 1). */
  readonly unit: number
  /** Names the conversation, so that each of its turns goes to the deployment that has the ones before in its cache. */
  readonly conversation?: string | null
}

/**
 * Chooses a deployment by weight, or the least busy one of a dedicated endpoint, and takes a place there. A conversation stays
 * at one deployment while that is healthy and has room. Ejected deployments are skipped while another one is healthy.
 * When all are ejected any may be used, so a model is never permanently unavailable.
 *
 * @returns null when every deployment has its maximum number of calls in flight
 */
export function chooseDeployment(deployments: readonly Deployment[], choice: Choice): Deployment | null {
  for (const group of inOrderOfPreference(deployments, choice.tried)) {
    for (const deployment of ordered(group, choice)) {
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

function ordered(group: readonly Deployment[], { unit, conversation = null }: Choice): readonly Deployment[] {
  if (group.length < 2) return group
  if (group[0]?.leastBusy === true) return leastBusyFirst(group, conversation)
  return conversation === null ? weighted(group, unit) : byAffinity(group, conversation)
}

/** Replicas in the order of their calls. The conversation's own comes first, unless it has more to do than most. */
function leastBusyFirst(group: readonly Deployment[], conversation: string | null): readonly Deployment[] {
  const ordered = [...group].sort((a, b) => a.health.inFlight - b.health.inFlight)
  const [own] = conversation === null ? [] : byAffinity(group, conversation)
  if (own === undefined || own.health.inFlight > maxInFlight(group)) return ordered
  return [own, ...ordered.filter((each) => each !== own)]
}

/** Calls up to which a replica counts as no busier than others: a quarter more than the mean, and one. */
function maxInFlight(group: readonly Deployment[]): number {
  const calls = group.reduce((sum, { health }) => sum + health.inFlight, 0)
  return (1.25 * calls) / group.length + 1
}

/** The deployment whose slice of [0, Σ weights) contains `unit`, then the others in order. */
function weighted(group: readonly Deployment[], unit: number): readonly Deployment[] {
  let left = unit * group.reduce((sum, { weight }) => sum + weight, 0)
  const index = group.findIndex(({ weight }) => {
    left -= weight
    return left < 0
  })
  const first = Math.max(0, index)
  return [...group.slice(first), ...group.slice(0, first)]
}
