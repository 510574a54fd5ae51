import type { Pool } from '@ratchet/db/connect-pool'
import { hourOf } from '@ratchet/service-kit/timing/durations'

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

const countOfWorkspaceStatement = `
  SELECT provider, sum(count) AS requests FROM request_outcome_hour
  WHERE workspace_id = $1 AND hour >= $2::timestamptz AND provider <> '' AND outcome <> 'cached' GROUP BY provider`

export type ProviderOutcomeReads = ReturnType<typeof createPgProviderOutcomes>

export function createPgProviderOutcomes(pool: Pick<Pool, 'query'>) {
  return {
    /** Since the hour that this time is in. */
    async since(at: Date): Promise<readonly ProviderOutcomes[]> {
      const { rows } = await pool.query<OutcomeRow>(countStatement, [new Date(hourOf(at))])
      return rows.map(({ provider, answered, failed }) => ({
        provider,
        answered: Number(answered),
        failed: Number(failed),
      }))
    },
    /** Requests of a workspace by provider, since the hour that this time is in, without answers from the cache. */
    async ofWorkspace(workspaceId: string, at: Date): Promise<ReadonlyMap<string, number>> {
      const { rows } = await pool.query<{ provider: string; requests: string }>(countOfWorkspaceStatement, [
        workspaceId,
        new Date(hourOf(at)),
      ])
      return new Map(rows.map(({ provider, requests }) => [provider, Number(requests)]))
    },
  }
}
