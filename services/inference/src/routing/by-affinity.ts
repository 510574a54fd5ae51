import { hash } from 'node:crypto'
import type { Deployment } from './deployment.ts'

type Weighted = Pick<Deployment, 'id' | 'weight'>

/**
 * Deployments in the order in which a conversation uses them: the same in every process, and apart from their weights
 * unrelated to those of other conversations. When one is missing, only its own conversations move (rendezvous hashing with
 * weights). Over many conversations, each deployment comes first by its share of the weights.
 */
export function byAffinity<D extends Weighted>(deployments: readonly D[], conversation: string): readonly D[] {
  return deployments
    .map((deployment) => ({ deployment, distance: distanceTo(deployment, conversation) }))
    .sort((a, b) => a.distance - b.distance)
    .map(({ deployment }) => deployment)
}

const range = 2 ** 48

/** Exponentially distributed with the weight as its rate, so that the smallest one is chosen in proportion to the weights. */
function distanceTo({ id, weight }: Weighted, conversation: string): number {
  const digest = hash('sha1', `${id}\n${conversation}`, 'buffer')
  return -Math.log((digest.readUIntBE(0, 6) + 1) / range) / weight
}
