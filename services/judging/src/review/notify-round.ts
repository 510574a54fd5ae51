import { publicId } from '@ratchet/contracts/public-id'
import type { NotifyLive } from '@ratchet/work-kit/live/live-notifier'
import type { Round } from './round.ts'

/** Says that a round has progressed. Never which item, and no verdict. */
export type NotifyRound = (round: Pick<Round, 'workspaceId' | 'id'>, version: number) => Promise<void>

export function createNotifyRound(notify: NotifyLive): NotifyRound {
  return async ({ workspaceId, id: uuid }, version) => {
    const id = publicId('round', uuid)
    await notify(workspaceId, { topic: `round:${id}`, id, version })
  }
}
