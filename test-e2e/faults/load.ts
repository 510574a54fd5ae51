import type { ChatCall } from '../clients.ts'
import type { Fault } from './describe-fault.ts'
import type { Asked } from './fault-clients.ts'

/** Several clients send requests one after the other while `during` runs; resolves with all outcomes. */
export async function loadDuring(
  fault: Pick<Fault, 'askDuring'>,
  { clients, ...call }: ChatCall & { readonly clients: number },
  during: () => Promise<unknown>,
): Promise<readonly Asked[]> {
  const running = during()
  const asked = await Promise.all(Array.from({ length: clients }, () => fault.askDuring(call, () => running)))
  return asked.flat()
}

/** Counts outcomes by status; null means no answer. */
export function statusesOf(asked: readonly Asked[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(asked, ({ status }) => String(status))
  return Object.fromEntries([...groups].map(([status, { length }]) => [status, length]))
}

/** A percentile of the durations, milliseconds. */
export function percentile(asked: readonly Pick<Asked, 'ms'>[], share: number): number {
  const sorted = asked.map(({ ms }) => ms).toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

/** Rounds a figure of the report to one decimal. */
export function tenths(value: number): number {
  return Math.round(value * 10) / 10
}

/** The 50th and 99th percentile of the durations, milliseconds. */
export function timesOf(asked: readonly Asked[]): string {
  return [0.5, 0.99].map((share) => tenths(percentile(asked, share))).join(', ')
}
