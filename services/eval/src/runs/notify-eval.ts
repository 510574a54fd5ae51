import { publicId } from '@ratchet/contracts/public-id'
import type { NotifyLive } from '@ratchet/work-kit/live/live-notifier'
import type { EvalRun } from './eval-run.ts'

/** Says that an eval has progressed, for its page and the list of evals. */
export type NotifyEval = (run: Pick<EvalRun, 'workspaceId' | 'id'>) => Promise<void>

/** @param now gives the version of a notice */
export function createNotifyEval(notify: NotifyLive, now: () => Date): NotifyEval {
  return async ({ workspaceId, id: uuid }) => {
    const id = publicId('eval', uuid)
    const version = now().getTime()
    await notify(workspaceId, { topic: `eval:${id}`, id, version })
    await notify(workspaceId, { topic: 'evals', id, version })
  }
}
