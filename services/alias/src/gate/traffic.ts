import type { ArmTraffic } from '@ratchet/contracts/internal-alias'

export interface TrafficReport {
  /** UUID of a process. */
  readonly reporter: string
  /** One more with every report. */
  readonly sequence: number
  readonly arms: readonly ArmTraffic[]
}

export interface TrafficStore {
  /** Adds what came by to the epochs that are in force. False for a report that was counted before. */
  count(report: TrafficReport, at: Date): Promise<boolean>
  /** Forgets reporters that were last heard of before. */
  forget(before: Date): Promise<void>
}
