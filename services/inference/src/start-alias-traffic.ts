import { fleetIdentity } from '@ratchet/contracts/identity'
import { reportAliasTraffic } from '@ratchet/contracts/internal-alias'
import { createUpstream } from '@ratchet/http/create-upstream'
import { createFleetClient } from '@ratchet/service-kit/fleet-client'
import { uuidV7 } from '@ratchet/service-kit/ids'
import { repeatEvery } from '@ratchet/service-kit/repeat-every'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
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
  /** Names this process, for as long as it runs. */
  readonly reporter: string
}

const reportEveryMs = 1_000
const clocks = { firstByteMs: 2_000, idleMs: 2_000, totalMs: 3_000 }

/** Counts what comes by on the arms of aliases, and has the alias service know. */
export function startAliasTraffic({ config, lifecycle, events, now, reporter }: AliasTrafficContext): ArmRecorder {
  const upstream = createUpstream({
    origin: new URL(config.ALIAS_URL).origin,
    connections: 1,
    connectTimeoutMs: 1_000,
  })
  lifecycle.onStop(() => upstream.destroy())
  const [key] = config.ALIAS_KEYS
  const newId = () => uuidV7(now().getTime())
  const client = createFleetClient({ audience: 'alias', upstream, key, now, newId, clocks })
  const counts = createArmCounts()
  const reports = createTrafficReports({
    take: counts.take,
    send: (body) => client.call(reportAliasTraffic, { body }, fleetIdentity),
    reporter,
    onEvent: events.aliasTraffic,
  })
  lifecycle.onStop(() => reports.stop())
  const onError = (cause: unknown) => events.aliasTraffic({ kind: 'away', cause })
  lifecycle.onStop(repeatEvery({ everyMs: reportEveryMs, work: reports.report, onError }))
  return counts
}
