import { setTimeout as sleep } from 'node:timers/promises'
import type { ArmTraffic, reportAliasTraffic } from '@ratchet/contracts/internal-alias'
import { FleetCallError } from '@ratchet/service-kit/fleet-client'
import type { z } from 'zod'
import type { AliasTrafficEvent } from './arm-recorder.ts'

export type TrafficReport = z.input<typeof reportAliasTraffic.body>

export interface TrafficReportsOptions {
  /** Everything that was counted since it was last asked. */
  readonly take: () => readonly ArmTraffic[]
  /** @throws FleetCallError when the alias service does not answer, or refuses */
  readonly send: (report: TrafficReport) => Promise<unknown>
  /** Names this process, for as long as it runs. */
  readonly reporter: string
  readonly onEvent: (event: AliasTrafficEvent) => void
  /** Milliseconds that the last try may take. */
  readonly stopMs?: number
}

export interface TrafficReports {
  /** Sends what was counted; to be called again and again, never twice at once. Never rejects. */
  report(): Promise<void>
  /** Tries once more, for a moment. */
  stop(): Promise<void>
}

/** Keeps a report within the mebibyte that services take, though every one of an arm's buckets be filled. */
const maxArms = 150

/**
 * Reports are numbered, and counted once by their number: one that was not answered is sent again as it was, until it
 * is, and what is counted meanwhile goes into the next.
 */
export function createTrafficReports(options: TrafficReportsOptions): TrafficReports {
  const { take, send, reporter, onEvent, stopMs = 1_000 } = options
  let sequence = 0
  let waiting: TrafficReport[] = []
  let isAway = false

  /** Whether the report is over, taken or not. */
  async function isOver(report: TrafficReport): Promise<boolean> {
    try {
      await send(report)
      onEvent({ kind: 'reported' })
    } catch (cause) {
      if (!isRefusal(cause)) {
        if (!isAway) onEvent({ kind: 'away', cause })
        isAway = true
        return false
      }
      onEvent({ kind: 'refused', arms: report.arms.length, cause })
    }
    if (isAway) onEvent({ kind: 'back' })
    isAway = false
    return true
  }

  async function report(): Promise<void> {
    if (waiting.length === 0) {
      waiting = inParts(take()).map((arms) => ({ reporter, sequence: ++sequence, arms }))
    }
    for (let next = waiting[0]; next !== undefined && (await isOver(next)); next = waiting[0]) waiting.shift()
  }

  return {
    report,
    async stop() {
      // Once for what was not answered, then for what came meanwhile.
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

/** That the service answered and will answer the same next time; everything else may pass. */
function isRefusal(cause: unknown): boolean {
  return cause instanceof FleetCallError && !cause.mayPass
}

function inParts(arms: readonly ArmTraffic[]): readonly ArmTraffic[][] {
  const parts = Array.from({ length: Math.ceil(arms.length / maxArms) })
  return parts.map((_none, index) => arms.slice(index * maxArms, (index + 1) * maxArms))
}
