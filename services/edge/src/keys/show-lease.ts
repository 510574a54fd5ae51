import { Gauge, type Registry } from '@ratchet/telemetry/metrics'
import type { KeyLease } from './key-lease.ts'

/** Shows whether keys are answered from memory. */
export function showLease(registry: Registry, lease: Pick<KeyLease, 'isValid'>): void {
  new Gauge({
    name: 'ratchet_edge_key_lease_valid',
    help: 'Whether keys may be answered from memory: 1, or 0 while every request reads its key.',
    registers: [registry],
    collect() {
      this.set(lease.isValid() ? 1 : 0)
    },
  })
}
