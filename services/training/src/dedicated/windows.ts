/** Replicas are charged in windows of this length, which begin at multiples of it since the epoch. */
export const windowMs = 300_000
/** Windows of an hour. */
export const windowsOfHour = 12

const hourMs = 3_600_000n
const nanoPerMicro = 1_000n

/** The number of the window that contains a moment. */
export function windowOf(at: Date): number {
  return Math.floor(at.getTime() / windowMs)
}

export function windowStart(number: number): Date {
  return new Date(number * windowMs)
}

/** Cost of milliseconds in which a replica was ready, nano-dollars: whole micro-dollars, rounded up once. */
export function readyCostNano(readyMs: number, priceNanoPerHour: bigint): bigint {
  const divisor = hourMs * nanoPerMicro
  return ((BigInt(readyMs) * priceNanoPerHour + divisor - 1n) / divisor) * nanoPerMicro
}

/** What is held for a window: its cost when the replica is ready all the time. */
export function windowHoldNano(priceNanoPerHour: bigint): bigint {
  return readyCostNano(windowMs, priceNanoPerHour)
}

/** A window of a replica for which money is or was held. */
export interface KnownWindow {
  readonly replicaId: string
  readonly number: number
  /** `asked`: the ledger may have a hold for it. `held`: it has. `due`: its cost is certain. `posted`: it is charged. */
  readonly state: 'asked' | 'held' | 'due' | 'posted'
  readonly heldNano: bigint
  /** 0 until it is posted. */
  readonly costNano: bigint
}

/**
 * Whether another window fits under a limit of the cost in any hour: no twelve windows in a row may cost more, counting
 * what is held as if it were spent.
 */
export function fitsHour(
  windows: readonly Pick<KnownWindow, 'number' | 'state' | 'heldNano' | 'costNano'>[],
  { number, amountNano, maxHourlyNano }: { number: number; amountNano: bigint; maxHourlyNano: bigint | null },
): boolean {
  if (maxHourlyNano === null) return true
  const spent = windows
    .filter((window) => window.state !== 'asked' && window.number > number - windowsOfHour && window.number <= number)
    .reduce((sum, { state, heldNano, costNano }) => sum + (state === 'posted' ? costNano : heldNano), 0n)
  return spent + amountNano <= maxHourlyNano
}
