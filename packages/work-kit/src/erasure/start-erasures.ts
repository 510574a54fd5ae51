import type { ErasingService } from '@ratchet/contracts/erasure-passes'
import type { Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import type { Logger } from 'pino'
import { doPass, erasureLeaseMs } from './do-pass.ts'
import type { ErasureRooms } from './erasure.ts'
import { erasurePaceMs } from './pace.ts'
import { areErasuresOpen, createPgErasureParts } from './pg-parts.ts'

export interface ErasureProcess {
  readonly service: ErasingService
  /** Of the process. Work is looked for in it. */
  readonly pool: Pool
  readonly databaseUrl: string
  readonly lifecycle: Pick<Lifecycle, 'onStop'>
  readonly logger: Logger
}

/** Statements of an erasure read whole tables. */
const timeoutMs = 600_000

/** Does the work of a service in the erasures of persons, in connections of its own, because its statements take long. */
export function startErasures(process: ErasureProcess, roomsOf: (pool: Pool) => ErasureRooms): void {
  const { service, databaseUrl, lifecycle, logger } = process
  const timeouts = { statementTimeoutMs: timeoutMs, queryTimeoutMs: timeoutMs, connectTimeoutMs: 2_000 }
  const erasing = connectProcessPool(
    { databaseUrl, role: `ratchet_${service}`, max: 2, ...timeouts },
    { ...lifecycle, logger },
  )
  const parts = createPgErasureParts(process.pool, service)
  const rooms = roomsOf(erasing)
  let isOpen = true
  const work = async () => {
    const erasure = await parts.take(erasureLeaseMs)
    if (erasure !== null) await doPass({ pool: erasing, parts, rooms }, erasure)
    isOpen = erasure !== null || (await areErasuresOpen(process.pool))
  }
  const onError = (err: unknown) =>
    logger.warn({ event: 'erasure_failed', err }, 'the erasure of a person does not go on; it is tried again')
  lifecycle.onStop(repeatEvery({ everyMs: () => erasurePaceMs(isOpen), work, onError }))
}
