import { Gauge, type Registry } from '@ratchet/telemetry/metrics'
import type { KeyLease } from './key-lease.ts'
import type { LeaseRenewals } from './renew-lease.ts'

/** Shows whether keys are answered from memory. */
export function showLease(
  registry: Registry,
  lease: Pick<KeyLease, 'isValid'>,
  renewals: Pick<LeaseRenewals, 'isResting'>,
): void {
  new Gauge({
    name: 'ratchet_edge_key_lease_valid',
    help: 'Whether keys may be answered from memory: 1, also while no request comes, or 0 while every request reads its key.',
    registers: [registry],
    collect() {
      this.set(renewals.isResting || lease.isValid() ? 1 : 0)
    },
  })
}
