import { CreateDedicatedEndpoint, immutableFields, UpdateDedicatedEndpoint } from '@ratchet/contracts/dedicated-body'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { z } from 'zod'
import { FlatRefusal } from '../bodies/flat-refusal.ts'
import { readSpelled, type SpelledBody } from '../bodies/spelled-body.ts'

const opaque = new Set(['metadata'])

/**
 * Reads the body that creates an endpoint.
 *
 * @throws FlatRefusal for a key in both spellings, and for `minReplicas` over `maxReplicas`
 * @throws ServiceError 400 for everything else
 */
export function readCreation(sent: unknown): SpelledBody<typeof CreateDedicatedEndpoint> {
  return readSpelled(sent, { schema: CreateDedicatedEndpoint, opaque, check: requireOrder })
}

/** Named, so that it is refused as what cannot be changed, and not as something unknown. */
const Change = UpdateDedicatedEndpoint.extend({
  ...(Object.fromEntries(immutableFields.map((name) => [name, z.unknown().optional()])) as Record<
    (typeof immutableFields)[number],
    z.ZodOptional<z.ZodUnknown>
  >),
})

/** Reads the body that changes an endpoint. @throws as above, and `immutable_parameter` */
export function readChange(sent: unknown): SpelledBody<typeof Change> {
  return readSpelled(sent, {
    schema: Change,
    opaque,
    check(request) {
      const fixed = immutableFields.find((name) => request[name] !== undefined)
      if (fixed === undefined) return
      throw new ServiceError('immutable_parameter', `\`${fixed}\` cannot be changed. Create another endpoint.`, {
        param: fixed,
      })
    },
  })
}

/** @throws FlatRefusal */
export function requireOrder({ minReplicas, maxReplicas }: { minReplicas: number; maxReplicas: number }): void {
  if (minReplicas <= maxReplicas) return
  throw new FlatRefusal(`\`minReplicas\` (${minReplicas}) must not exceed \`maxReplicas\` (${maxReplicas}).`)
}
