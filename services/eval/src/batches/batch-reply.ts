import type { Batch as BatchObject } from '@ratchet/contracts/batches'
import { nanoToUsd } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import type { Batch } from './batch.ts'

/** A batch as OpenAI's clients read it. */
export function batchReply(batch: Batch): BatchObject {
  const { status, endedAt } = batch
  const endedAs = (end: Batch['status']) => (status === end ? unix(endedAt) : null)
  return {
    id: publicId('batch', batch.id),
    object: 'batch',
    endpoint: batch.endpoint,
    model: batch.model,
    errors: batch.errors === null ? null : { object: 'list', data: [...batch.errors] },
    input_file_id: batch.inputFileId,
    completion_window: '24h',
    status,
    output_file_id: fileId(batch.outputFileId),
    error_file_id: fileId(batch.errorFileId),
    created_at: seconds(batch.createdAt),
    in_progress_at: unix(batch.inProgressAt),
    expires_at: seconds(batch.expiresAt),
    finalizing_at: unix(batch.finalizingAt),
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at: unix(batch.cancellingAt),
    cancelled_at: endedAs('cancelled'),
    request_counts: { ...batch.counts },
    metadata: batch.metadata === null ? null : { ...batch.metadata },
    cost_usd: nanoToUsd(batch.costNano),
    reserved_usd: nanoToUsd(batch.reservedNano),
  }
}

function fileId(id: string | null): string | null {
  return id === null ? null : publicId('file', id)
}

function unix(at: Date | null): number | null {
  return at === null ? null : seconds(at)
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1_000)
}
