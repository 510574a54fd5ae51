import { nanoToUsd } from '@ratchet/contracts/money'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { JobHold, JobMoney } from './job-money.ts'

/** What a hold is for: a job, or a run, which is one. */
export interface Held {
  readonly id: string
  readonly workspaceId: string
  readonly createdBy: string
  readonly baseModel: string
}

export function holdOf({ id: jobId, workspaceId, createdBy, baseModel: model }: Held, holdNumber: number): JobHold {
  return { workspaceId, jobId, holdNumber, createdBy, model }
}

/** Takes the hold that a request needs. @throws ServiceError `insufficient_balance` */
export async function takeHold(
  money: Pick<JobMoney, 'hold'>,
  { hold, amountNano, noun }: { readonly hold: JobHold; readonly amountNano: bigint; readonly noun: 'job' | 'run' },
): Promise<void> {
  if (amountNano === 0n || (await money.hold(hold, amountNano))) return
  const message = `The ${noun} needs a hold of $${nanoToUsd(amountNano)}, which the wallet does not cover. Top up the wallet or lower \`maxCostUsd\`.`
  throw new ServiceError('insufficient_balance', message)
}

/** What cannot be released now is released by the ledger after a day. */
export async function releaseUnused(money: Pick<JobMoney, 'release'>, hold: JobHold): Promise<void> {
  await money.release(hold).catch(() => undefined)
}
