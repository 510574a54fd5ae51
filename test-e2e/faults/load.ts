import type { ChatCall } from '../clients.ts'
import type { Fault } from './describe-fault.ts'
import type { Asked } from './fault-clients.ts'

/** Several clients at once, each asking one thing after the other while `during` runs; what all of them got. */
export async function loadDuring(
  fault: Pick<Fault, 'askDuring'>,
  { clients, ...call }: ChatCall & { readonly clients: number },
  during: () => Promise<unknown>,
): Promise<readonly Asked[]> {
  const running = during()
  const asked = await Promise.all(Array.from({ length: clients }, () => fault.askDuring(call, () => running)))
  return asked.flat()
}

/** How often each status came; null for no answer at all. */
export function statusesOf(asked: readonly Asked[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(asked, ({ status }) => String(status))
  return Object.fromEntries([...groups].map(([status, { length }]) => [status, length]))
}

/** The time that a share of the answers came within, milliseconds. */
export function percentile(asked: readonly Pick<Asked, 'ms'>[], share: number): number {
  const sorted = asked.map(({ ms }) => ms).toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

/** To a tenth, as a figure of a report. */
export function tenths(value: number): number {
  return Math.round(value * 10) / 10
}

/** What half of the answers and all but a hundredth of them took, milliseconds. */
export function timesOf(asked: readonly Asked[]): string {
  return [0.5, 0.99].map((share) => tenths(percentile(asked, share))).join(', ')
}
