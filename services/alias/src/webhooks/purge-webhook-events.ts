import type { DueDeliveries } from './delivery.ts'

/** Events in one statement. */
const chunk = 500

/** Deletes events that are older than they are kept, with what became of them. */
export async function forgetWebhookEvents(due: Pick<DueDeliveries, 'forget'>): Promise<void> {
  let forgotten: number
  do forgotten = await due.forget(chunk)
  while (forgotten === chunk)
}
