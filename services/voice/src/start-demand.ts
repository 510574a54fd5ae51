import type { Pool } from '@ratchet/db/connect-pool'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { Gauge, type ProcessMetrics } from '@ratchet/telemetry/metrics'
import { countLiveCalls } from './calls/pg-live-calls.ts'

export interface DemandContext {
  readonly pool: Pool
  readonly metrics: Pick<ProcessMetrics, 'registry'>
  readonly nowMs: () => number
  readonly onStop: OnStop
  readonly onError: (error: unknown) => void
  readonly everyMs?: number
}

/** Without a figure a scaler keeps its replicas, with a stale one it would change them. */
const staleAfterMs = 60_000

/** Exports how many calls workers are needed for, also while no worker runs. It is read in the background. */
export function startDemand({ pool, metrics, nowMs, onStop, onError, everyMs = 10_000 }: DemandContext): void {
  let last: { readonly live: number; readonly atMs: number } | null = null
  const read = async () => {
    last = { live: await countLiveCalls(pool), atMs: nowMs() }
  }
  new Gauge({
    name: 'ratchet_voice_calls_live',
    help: 'Calls that workers hold or will have to at any moment, of the whole fleet.',
    registers: [metrics.registry],
    collect() {
      this.remove()
      if (last !== null && nowMs() - last.atMs <= staleAfterMs) this.set(last.live)
    },
  })
  void read().catch(onError)
  onStop(repeatEvery({ everyMs, work: read, onError }))
}
