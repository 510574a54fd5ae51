import { listDeadLetters, readWork } from '@ratchet/db/background-work'
import type { Pool } from '@ratchet/db/connect-pool'
import type { DashboardDb } from '@ratchet/db/dashboard-client'
import type { Act } from '../audit/act.ts'
import { recordChange } from '../audit/pg-audit.ts'
import type { AdminPage } from './pg-admin.ts'

export type WorkStore = ReturnType<typeof createPgWork>

/** Background work of the installation, which operators see and retry. */
export function createPgWork(pool: Pool, db: DashboardDb) {
  return {
    async read(page: Pick<AdminPage, 'limit' | 'offset'>) {
      const [queues, deadLetters] = await Promise.all([readWork(pool), listDeadLetters(pool, page)])
      return { queues, ...deadLetters }
    },
    /** Returns how many judgements are retried, and notes it in the audit of their workspace. */
    retry: (act: Act, error: string) =>
      db.$transaction(async (tx) => {
        const rows = await tx.$queryRaw<{ retried: number }[]>`
          SELECT retry_judgements(${act.workspaceId}::uuid, ${error}) AS retried`
        const retried = rows[0]?.retried ?? 0
        if (retried > 0) {
          await recordChange(tx, act, { action: 'work.retried', subject: 'judgements', after: { error, retried } })
        }
        return retried
      }),
  }
}
