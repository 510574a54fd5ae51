import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** What has not ended, of one workspace: all workers look at it again and again. A few more can begin at the same moment. */
export const maxUnfinished = { jobs: 100, rounds: 20, distillations: 20, endpoints: 50 } as const

const names: Readonly<Record<keyof typeof maxUnfinished, string>> = {
  jobs: 'fine-tuning jobs and GRPO runs',
  rounds: 'rounds',
  distillations: 'datasets of a teacher',
  endpoints: 'dedicated endpoints',
}

/** @throws ServiceError `quota_exceeded` when a workspace has its maximum of such things that have not ended */
export function requireRoom(kind: keyof typeof maxUnfinished, unfinished: number): void {
  const most = maxUnfinished[kind]
  if (unfinished < most) return
  const message = `A workspace may have ${most} ${names[kind]} that have not ended. Wait until one ends, or ${kind === 'endpoints' ? 'delete' : 'cancel'} one.`
  throw new ServiceError('quota_exceeded', message)
}
