import type { Pool } from '@ratchet/db/connect-pool'

/** How the calls of a provider ended, of all workspaces together. */
export interface ProviderOutcomes {
  readonly provider: string
  readonly answered: number
  /** Ended without a whole answer because of the provider. */
  readonly failed: number
}

interface OutcomeRow {
  readonly provider: string
  readonly answered: string
  readonly failed: string
}

const countStatement = `
  SELECT provider, coalesce(sum(count) FILTER (WHERE outcome = 'answered'), 0) AS answered,
    coalesce(sum(count) FILTER (WHERE outcome LIKE 'provider\\_%' AND outcome <> 'provider_not_configured'), 0) AS failed
  FROM request_outcome_hour WHERE hour >= $1::timestamptz AND provider <> '' GROUP BY provider`

export type ProviderOutcomeReads = ReturnType<typeof createPgProviderOutcomes>

export function createPgProviderOutcomes(pool: Pick<Pool, 'query'>) {
  return {
    /** Since the hour that this time is in. */
    async since(at: Date): Promise<readonly ProviderOutcomes[]> {
      const { rows } = await pool.query<OutcomeRow>(countStatement, [
        new Date(at.getTime() - (at.getTime() % 3_600_000)),
      ])
      return rows.map(({ provider, answered, failed }) => ({
        provider,
        answered: Number(answered),
        failed: Number(failed),
      }))
    },
  }
}
