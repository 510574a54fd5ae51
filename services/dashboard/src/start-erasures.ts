import type { Pool } from '@ratchet/db/connect-pool'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { erasurePaceMs } from '@ratchet/work-kit/erasure/pace'
import { areErasuresOpen } from '@ratchet/work-kit/erasure/pg-parts'
import { startErasures } from '@ratchet/work-kit/erasure/start-erasures'
import type { Logger } from 'pino'
import { advanceErasures } from './erasure/pg-advance-erasures.ts'
import { dashboardRooms } from './erasure/pg-erasure-rooms.ts'

export interface ErasureParts {
  readonly pool: Pool
  readonly lifecycle: Pick<Lifecycle, 'onStop'>
  readonly now: () => Date
  readonly newId: () => string
  readonly logger: Logger
}

/** Erases what the dashboard has of persons, and leads the erasures of all services from pass to pass. */
export function startPersonErasures(
  { DATABASE_URL: databaseUrl }: { readonly DATABASE_URL: string },
  { pool, lifecycle, now, newId, logger }: ErasureParts,
): void {
  startErasures({ service: 'dashboard', pool, databaseUrl, lifecycle, logger }, dashboardRooms)
  const onError = (err: unknown) =>
    logger.warn({ event: 'erasure_failed', err }, 'the erasure of a person does not go on; it is tried again')
  let isOpen = true
  const work = async () => {
    await advanceErasures({ pool, now, newId })
    isOpen = await areErasuresOpen(pool)
  }
  lifecycle.onStop(repeatEvery({ everyMs: () => erasurePaceMs(isOpen), work, onError }))
}
