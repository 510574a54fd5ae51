import { serviceNames } from '@ratchet/contracts/endpoint'
import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import { audienceKeys, callerKeys, formatKeys, jobTokenKeys, type ServicePair } from './audience-keys.ts'
import { servicePairs } from './service-pairs.ts'

/**
 * The variables with identity keys that docker-compose.yml reads: the master keys for the edge, the keys of each service
 * that verifies identities, those of each pair of a caller and a callee, and those of the tokens of trainers.
 *
 * @param areShared whether callers get the callee's own keys, which the previous release verifies
 */
export function identityVariables(
  masterKeys: readonly NamedKey[],
  areShared = false,
): Readonly<Record<string, string>> {
  const keysOf = (pair: ServicePair) =>
    areShared && pair.audience !== 'edge' ? audienceKeys(masterKeys, pair.audience) : callerKeys(masterKeys, pair)
  return {
    IDENTITY_MASTER_KEYS: formatKeys(masterKeys),
    ...Object.fromEntries(
      serviceNames.map((name) => [`${name.toUpperCase()}_IDENTITY_KEYS`, formatKeys(audienceKeys(masterKeys, name))]),
    ),
    JOB_TOKEN_KEYS: formatKeys(jobTokenKeys(masterKeys)),
    ...Object.fromEntries(servicePairs.map((pair) => [pairVariable(pair), formatKeys(keysOf(pair))])),
  }
}

/** The variable with the keys of a pair, such as `JUDGING_TO_INFERENCE_KEYS`. */
export function pairVariable({ caller, audience }: ServicePair): string {
  return `${caller}_TO_${audience}_KEYS`.toUpperCase()
}
