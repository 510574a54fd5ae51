import { invalidRequest } from '@ratchet/service-kit/http/service-error'
import { dayMs, hourMs } from '@ratchet/service-kit/timing/durations'
import type { Period } from './accounts.ts'

const maxDays = 400

interface Asked {
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

/** @throws ServiceError for a period that ends before it begins, or is longer than 400 days */
export function periodOf({ from, to }: Asked, now: Date, defaultDays: number): Period {
  const end = to ?? new Date(now.getTime() + 1)
  const start = from ?? new Date(end.getTime() - defaultDays * dayMs)
  if (start >= end) throw invalidRequest('from', 'This must be before `to`.')
  if (end.getTime() - start.getTime() > maxDays * dayMs) {
    throw invalidRequest('from', `A period has at most ${maxDays} days.`)
  }
  return { from: start, to: end }
}

/** The period with the whole hours that its bounds are in. */
export function wholeHours({ from, to }: Period): Period {
  return {
    from: new Date(Math.floor(from.getTime() / hourMs) * hourMs),
    to: new Date(Math.ceil(to.getTime() / hourMs) * hourMs),
  }
}

/** A month in UTC, such as 2026-11. @throws ServiceError when it has not begun */
export function monthOf(month: string, now: Date): Period {
  const from = new Date(`${month}-01T00:00:00Z`)
  if (from > now) throw invalidRequest('month', 'This month has not begun.')
  return { from, to: new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1)) }
}
