import { setTimeout as sleep } from 'node:timers/promises'
import type { ArmTraffic, reportAliasTraffic } from '@ratchet/contracts/internal-alias'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import type { z } from 'zod'
import type { AliasTrafficEvent } from './arm-recorder.ts'

export type TrafficReport = z.input<typeof reportAliasTraffic.body>

export interface TrafficReportsOptions {
  /** Returns and resets all counts. */
  readonly take: () => readonly ArmTraffic[]
  /** @throws FleetCallError when the alias service does not answer, or refuses */
  readonly send: (report: TrafficReport) => Promise<unknown>
  /** Identifies this process from its start to its end. */
  readonly reporter: string
  readonly onEvent: (event: AliasTrafficEvent) => void
  /** Milliseconds that the last attempt may take. */
  readonly stopMs?: number
}

/** Keeps a report below the body limit of services, even if every latency bucket of every arm is filled. */
const maxArms = 150

/**
 * Reports are numbered, and each number is counted once: a report that was not answered is sent again unchanged until
 * it is, and the counts since then go into the next one.
 */
export function createTrafficReports(options: TrafficReportsOptions) {
  const { take, send, reporter, onEvent, stopMs = 1_000 } = options
  let sequence = 0
  let waiting: TrafficReport[] = []
  let isUnavailable = false

  /** True when the report was accepted or refused, so that it must not be sent again. */
  async function isOver(report: TrafficReport): Promise<boolean> {
    try {
      await send(report)
      onEvent({ kind: 'reported' })
    } catch (cause) {
      if (!isRefusal(cause)) {
        if (!isUnavailable) onEvent({ kind: 'unavailable', cause })
        isUnavailable = true
        return false
      }
      onEvent({ kind: 'refused', arms: report.arms.length, cause })
    }
    if (isUnavailable) onEvent({ kind: 'recovered' })
    isUnavailable = false
    return true
  }

  /** Sends the counts. Call it periodically, never twice at once. Never rejects. */
  async function report(): Promise<void> {
    if (waiting.length === 0) {
      waiting = inParts(take()).map((arms) => ({ reporter, sequence: ++sequence, arms }))
    }
    for (let next = waiting[0]; next !== undefined && (await isOver(next)); next = waiting[0]) waiting.shift()
  }

  return {
    report,
    /** Tries once more for a short time. */
    async stop(): Promise<void> {
      // Once for what was not answered, then for what was counted meanwhile.
      const lastTries = async () => {
        await report()
        if (waiting.length === 0) await report()
      }
      await Promise.race([lastTries(), sleep(stopMs, undefined, { ref: false })])
      const arms = [...waiting.flatMap((left) => left.arms), ...take()].length
      if (arms > 0) onEvent({ kind: 'lost', arms })
    },
  }
}

/** True when the service answered and would answer the same next time. Any other failure may be temporary. */
function isRefusal(cause: unknown): boolean {
  return cause instanceof FleetCallError && !cause.mayPass
}

function inParts(arms: readonly ArmTraffic[]): readonly ArmTraffic[][] {
  const parts = Array.from({ length: Math.ceil(arms.length / maxArms) })
  return parts.map((_none, index) => arms.slice(index * maxArms, (index + 1) * maxArms))
}
