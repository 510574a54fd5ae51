import type { WorkspaceLimits } from '@ratchet/contracts/dashboard/admin-limits'

type LimitRow = Readonly<Record<'requestsPerMinute' | 'tokensPerMinute' | 'guardedCallsPerMinute', number | null>>

/** @param row null for a workspace with the defaults */
export function limitsOf(row: LimitRow | null): WorkspaceLimits {
  return {
    requests_per_minute: row?.requestsPerMinute ?? null,
    tokens_per_minute: row?.tokensPerMinute ?? null,
    guarded_calls_per_minute: row?.guardedCallsPerMinute ?? null,
  }
}
