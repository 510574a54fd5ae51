import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type Ledger, LedgerUnavailable } from './ledger.ts'
import { createLedgerRouting, type LedgerRoutingOptions } from './ledger-routing.ts'

/**
 * Several ledgers behind the port of one. Each is complete, with its own database, processes' heartbeats, blocks and
 * spill, so one that is unavailable delays no other. No request concerns two of them.
 */
export function createShardedLedger(options: LedgerRoutingOptions<Ledger>): Ledger {
  const routing = createLedgerRouting(options)
  return {
    hold: (hold) => routing.hold(hold),
    checkpoint: (checkpoint) => routing.checkpoint(checkpoint),
    settle: (settle) => routing.close(settle, (ledger) => ledger.settle(settle)).catch(notFound),
    release: (billingId, workspaceId) =>
      routing
        .close({ billingId, workspaceId }, (ledger) => ledger.release(billingId, workspaceId))
        .catch((error: unknown) => {
          // this process holds nothing for the request, so nothing is left to release
          if (!(error instanceof LedgerUnavailable)) throw error
        }),
    async flush() {
      await Promise.all([...options.ledgers.values()].map((ledger) => ledger.flush()))
    },
  }
}

/** The answer of a request that this process did not hold for is not sent when its charge cannot be repeated anywhere. */
function notFound(cause: unknown): never {
  if (!(cause instanceof LedgerUnavailable)) throw cause
  throw new ServiceError('service_unavailable', 'The ledger does not answer.', { retryAfterSeconds: 1, cause })
}
