import type { ArmTraffic } from '@ratchet/contracts/internal-alias'
import { nanoToUsd } from '@ratchet/contracts/money'
import { latencyBucket } from '@ratchet/stats/latency-bucket'
import type { ChosenArm } from '../workspace-settings/alias-route.ts'
import type { ArmRecorder } from './arm-recorder.ts'

export interface ArmCounts extends ArmRecorder {
  /** All counts since they were last taken. */
  take(): readonly ArmTraffic[]
}

interface Count extends Record<'assigned' | 'served' | 'errors' | 'costUsd' | 'costUsdSquared', number> {
  readonly route: ChosenArm
  /** Number of answers by latency bucket. */
  readonly latencies: Map<number, number>
}

/** Counts in memory. The memory grows with the number of arms that have traffic. */
export function createArmCounts(): ArmCounts {
  let counts = new Map<string, Count>()

  function of(route: ChosenArm): Count {
    const key = `${route.id} ${route.epoch} ${route.arm}`
    const known = counts.get(key)
    if (known !== undefined) return known
    const nothing = { assigned: 0, served: 0, errors: 0, costUsd: 0, costUsdSquared: 0 }
    const count = { route, ...nothing, latencies: new Map<number, number>() }
    counts.set(key, count)
    return count
  }

  return {
    assigned(arm) {
      of(arm).assigned += 1
    },
    served(arm) {
      of(arm).served += 1
    },
    failed(arm) {
      of(arm).errors += 1
    },
    answered(arm, { costNano, latencyMs }) {
      const count = of(arm)
      const costUsd = nanoToUsd(costNano)
      count.costUsd += costUsd
      count.costUsdSquared += costUsd * costUsd
      const bucket = latencyBucket(latencyMs)
      count.latencies.set(bucket, (count.latencies.get(bucket) ?? 0) + 1)
    },
    take() {
      const taken = counts
      counts = new Map()
      return [...taken.values()].map(toWire)
    },
  }
}

function toWire({ route, assigned, served, errors, costUsd, costUsdSquared, latencies }: Count): ArmTraffic {
  return {
    alias_id: route.id,
    epoch: route.epoch,
    arm: route.arm,
    assigned,
    served,
    errors,
    cost_usd: costUsd,
    cost_usd_squared: costUsdSquared,
    latencies: Object.fromEntries(latencies),
  }
}
