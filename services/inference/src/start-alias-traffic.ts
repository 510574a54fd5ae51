import { fleetIdentity } from '@ratchet/contracts/identity'
import { reportAliasTraffic } from '@ratchet/contracts/internal-alias'
import { connectService } from '@ratchet/service-kit/fleet/connect-service'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import type { InferenceConfig } from './config.ts'
import type { InferenceEvents } from './events.ts'
import type { ArmRecorder } from './routing/arm-recorder.ts'
import { createArmCounts } from './routing/count-arms.ts'
import { createTrafficReports } from './routing/report-traffic.ts'

export interface AliasTrafficContext {
  readonly config: InferenceConfig
  readonly lifecycle: Lifecycle
  readonly events: InferenceEvents
  readonly now: () => Date
  /** Identifies this process from its start to its end. */
  readonly reporter: string
}

const reportEveryMs = 1_000
const clocks = { firstByteMs: 2_000, idleMs: 2_000, totalMs: 3_000 }

/** Counts the traffic on the arms of aliases, and reports it to the alias service. */
export function startAliasTraffic({ config, lifecycle, events, now, reporter }: AliasTrafficContext): ArmRecorder {
  const { ALIAS_URL: url, ALIAS_KEYS: keys } = config
  const client = connectService({ audience: 'alias', url, keys, connections: 1, clocks }, { ...lifecycle, now })
  const counts = createArmCounts()
  const reports = createTrafficReports({
    take: counts.take,
    send: (body) => client.call(reportAliasTraffic, { body }, fleetIdentity),
    reporter,
    onEvent: events.aliasTraffic,
  })
  lifecycle.onStop(() => reports.stop())
  const onError = (cause: unknown) => events.aliasTraffic({ kind: 'unavailable', cause })
  lifecycle.onStop(repeatEvery({ everyMs: reportEveryMs, work: reports.report, onError }))
  return counts
}
