import type { UpdateDedicatedEndpoint } from '@ratchet/contracts/dedicated-body'
import { usdToNano } from '@ratchet/contracts/money'
import type { EndpointSettings } from './endpoint.ts'

/** The settings of an endpoint after a change. A field that is absent stays as it is. */
export function changedSettings(before: EndpointSettings, change: UpdateDedicatedEndpoint): EndpointSettings {
  const { maxHourlyCostUsd: maximum, scaleToZeroAfterSeconds: sleep } = change
  return {
    name: change.name ?? before.name,
    minReplicas: change.minReplicas ?? before.minReplicas,
    maxReplicas: change.maxReplicas ?? before.maxReplicas,
    scaleToZeroAfterS: sleep === undefined ? before.scaleToZeroAfterS : sleep,
    scaleUpWindowS: change.scaleUpWindowSeconds ?? before.scaleUpWindowS,
    scaleDownWindowS: change.scaleDownWindowSeconds ?? before.scaleDownWindowS,
    targetConcurrency: change.targetConcurrency ?? before.targetConcurrency,
    maxHourlyCostNano: maximum === undefined ? before.maxHourlyCostNano : maximum === null ? null : usdToNano(maximum),
    drainingS: change.draining ?? before.drainingS,
    metadata: change.metadata === undefined ? before.metadata : (change.metadata ?? {}),
  }
}
