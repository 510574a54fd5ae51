import { releaseBatchHold } from '@ratchet/contracts/internal-batches'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { withLease } from '@ratchet/work-kit/leases/with-lease'
import type { EndedLine, LeasedBatch } from './batch.ts'
import type { BatchEnd, BatchStore, LineStore } from './batch-store.ts'
import { writeFile } from './write-file.ts'

export interface AdvanceBatchDeps {
  readonly batches: BatchStore
  readonly lines: Pick<LineStore, 'ended'>
  readonly inference: Pick<FleetClient, 'call'>
  readonly logging: Pick<FleetClient, 'call'>
  readonly now: () => Date
  readonly onEvent: (event: BatchEvent) => void
}

export interface BatchEvent {
  readonly kind: 'waiting' | 'completed' | 'expired' | 'cancelled' | 'failed' | 'lost' | 'retried'
  readonly batchId: string
  readonly cause?: unknown
}

const waitingDelayMs = 1_000
const maxRetryDelayMs = 300_000

/** Ends a batch whose requests have ended: writes its files and releases what it still holds. Every step can be repeated. */
export async function advanceBatch(deps: AdvanceBatchDeps, due: string | LeasedBatch): Promise<void> {
  const { batches, onEvent } = deps
  await withLease(batches, due, async (batch) => {
    const batchId = batch.id
    try {
      const kind = await step(deps, batch)
      if (kind === 'waiting') await batches.release(batch, { delayMs: waitingDelayMs, hasFailed: false })
      onEvent({ kind, batchId })
    } catch (cause) {
      // The answers are paid for, so the batch is tried until it can end: its workspace may have no room for the files.
      const delayMs = Math.min(2_000 * 2 ** Math.min(batch.attempts, 10), maxRetryDelayMs)
      await batches.release(batch, { delayMs, hasFailed: true })
      onEvent({ kind: 'retried', batchId, cause })
    }
  })
}

async function step(deps: AdvanceBatchDeps, batch: LeasedBatch): Promise<BatchEvent['kind']> {
  const { batches, now } = deps
  if (batch.status === 'validating') return giveUp(deps, batch)
  const isExpired = batch.expiresAt <= now()
  const isCancelled = batch.status === 'cancelling'
  if (isExpired || isCancelled) {
    const { isBusy } = await batches.endPending(batch, isCancelled ? 'batch_cancelled' : 'batch_expired')
    if (isBusy) return 'waiting'
  }
  await release(deps, batch)
  if (!(await batches.finalize(batch, now()))) return 'lost'
  const end = await writeFiles(deps, batch)
  return (await batches.finish(batch, end, now())) ? end.status : 'lost'
}

/** A batch whose creation was interrupted. Its client got no answer. */
async function giveUp({ batches, now, ...deps }: AdvanceBatchDeps, batch: LeasedBatch): Promise<BatchEvent['kind']> {
  await release(deps, batch)
  const message = 'The check of the file was interrupted. Create the batch again.'
  const errors = [{ code: 'interrupted', message, param: null, line: null }]
  return (await batches.fail(batch, { errors, at: now() })) === null ? 'lost' : 'failed'
}

async function release({ inference }: Pick<AdvanceBatchDeps, 'inference'>, batch: LeasedBatch): Promise<void> {
  const identity = workerIdentity(batch.workspaceId, batch.createdBy)
  await inference.call(releaseBatchHold, { params: { hold_id: batch.id } }, identity)
}

async function writeFiles(deps: AdvanceBatchDeps, batch: LeasedBatch): Promise<BatchEnd> {
  const identity = workerIdentity(batch.workspaceId, batch.createdBy)
  let hasExpired = false
  const write = async (kind: 'output' | 'error') => {
    const fileId = deterministicId('batch-file', batch.id, kind)
    const lines = linesOf(deps, batch, kind === 'output', ({ error }) => {
      hasExpired ||= error === 'batch_expired'
    })
    const filename = `batch_${batch.id.replaceAll('-', '')}_${kind}.jsonl`
    return (await writeFile(deps.logging, { fileId, filename, identity }, lines)) ? fileId : null
  }
  const outputFileId = await write('output')
  const errorFileId = await write('error')
  const ended = hasExpired ? 'expired' : 'completed'
  return { status: batch.status === 'cancelling' ? 'cancelled' : ended, outputFileId, errorFileId }
}

const pageSize = 100

async function* linesOf(
  { lines }: AdvanceBatchDeps,
  batch: LeasedBatch,
  isAnswered: boolean,
  seen: (line: EndedLine) => void,
): AsyncGenerator<EndedLine> {
  for (let after = 0; ; ) {
    const page = await lines.ended(batch, { isAnswered, after, limit: pageSize })
    for (const line of page) {
      seen(line)
      yield line
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = last.line
  }
}
