import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** What has not ended, of one workspace: all workers look at it again and again. A few more can begin at the same moment. */
export const maxUnfinished = { jobs: 100, rounds: 20 } as const

/** @throws ServiceError `quota_exceeded` when a workspace has its maximum of jobs and runs, or of rounds, that have not ended */
export function requireRoom(kind: keyof typeof maxUnfinished, unfinished: number): void {
  const most = maxUnfinished[kind]
  if (unfinished < most) return
  const what = kind === 'jobs' ? 'fine-tuning jobs and GRPO runs' : 'rounds'
  const message = `A workspace may have ${most} ${what} that have not ended. Wait until one ends, or cancel one.`
  throw new ServiceError('quota_exceeded', message)
}
