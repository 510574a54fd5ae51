/** Names of engines of replicas begin with this. */
export const enginePrefix = 'replica-'

/** The name of the engine of a replica. */
export function engineName(replicaId: string): string {
  return `${enginePrefix}${replicaId}`
}
