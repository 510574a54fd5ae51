import { capturesRule } from '@ratchet/contracts/captured-exchange'
import { serviceNames } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import { internalEndpoints } from '@ratchet/contracts/internal-endpoints'
import type { ServicePair } from './audience-keys.ts'

const rules = [...endpoints, ...internalEndpoints, { ...capturesRule, service: 'logging' as const }]

const betweenServices = serviceNames.flatMap((caller) =>
  serviceNames
    .filter((audience) => rules.some(({ service, callers }) => service === audience && callers.includes(caller)))
    .map((audience) => ({ caller, audience })),
)

/** Every service with every other service that it may call; the dashboard with the edge, and with inference for payments and credits. */
export const servicePairs: readonly ServicePair[] = [
  ...betweenServices,
  { caller: 'dashboard', audience: 'edge' },
  { caller: 'dashboard', audience: 'inference' },
]
