import { redactDocuments } from '@ratchet/contracts/internal-logs'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import type { Redact } from './redact.ts'

/** Redacts through the logging service. */
export function createRedact(logging: FleetClient): Redact {
  return async (identity, documents) => {
    const { data } = await logging.call(redactDocuments, { body: { documents: [...documents] } }, identity)
    return documents.map((given, index) => {
      const redacted = data[index]
      return redacted?.kind === 'done' ? (redacted.document ?? given) : null
    })
  }
}
