import type { TopUp as TopUpReply } from '@ratchet/contracts/billing'
import { publicId } from '@ratchet/contracts/public-id'
import type { z } from 'zod'
import type { TopUp } from './top-ups.ts'

export function topUpReply({
  id,
  status,
  amountNano,
  createdBy,
  createdAt,
  endedAt,
}: TopUp): z.input<typeof TopUpReply> {
  return {
    object: 'top_up',
    id: publicId('topUp', id),
    status,
    amount_nano: String(amountNano),
    created_by: createdBy,
    created_at: createdAt.toISOString(),
    credited_at: status === 'credited' ? (endedAt?.toISOString() ?? null) : null,
  }
}
