import type { JobHold, JobMoney } from './job-money.ts'

/** A ledger in memory, with the rules of the real one. */
export interface RecordedMoney extends JobMoney {
  /** What was charged to a job, in the order of the charges, nano-dollars. */
  readonly postings: ReadonlyMap<string, readonly bigint[]>
  /** What is held for a job, nano-dollars. */
  heldFor(jobId: string): bigint
  /** Whether the job's last hold is neither settled nor released. */
  hasOpenHold(jobId: string): boolean
  /** Refuses holds of more than this for a job, as a wallet with too little does. */
  refuseAbove(jobId: string, amountNano: bigint): void
  /** What failed in workers, for messages of tests. */
  readonly failures: unknown[]
  /** Events of jobs. */
  readonly notes: string[]
}

export function recordedMoney(): RecordedMoney {
  const postings = new Map<string, bigint[]>()
  const holds = new Map<string, { number: number; amount: bigint; isOpen: boolean }>()
  const limits = new Map<string, bigint>()
  const postedFor = (jobId: string) => (postings.get(jobId) ?? []).reduce((sum, each) => sum + each, 0n)

  function post({ jobId }: JobHold, costNano: bigint): void {
    const posting = costNano - postedFor(jobId)
    if (posting <= 0n) return
    const hold = holds.get(jobId)
    if (hold?.isOpen !== true || hold.amount < posting) throw new Error('a charge beyond the hold')
    hold.amount -= posting
    postings.set(jobId, [...(postings.get(jobId) ?? []), posting])
  }

  function close({ jobId, holdNumber }: JobHold): void {
    const hold = holds.get(jobId)
    if (hold !== undefined && hold.number === holdNumber) hold.isOpen = false
  }

  return {
    postings,
    failures: [],
    notes: [],
    heldFor(jobId) {
      const hold = holds.get(jobId)
      return hold?.isOpen === true ? hold.amount : 0n
    },
    hasOpenHold: (jobId) => holds.get(jobId)?.isOpen === true,
    refuseAbove: (jobId, amountNano) => void limits.set(jobId, amountNano),
    async hold({ jobId, holdNumber }, amount) {
      if (amount > (limits.get(jobId) ?? amount)) return false
      const present = holds.get(jobId)
      const isNext = present === undefined || present.number < holdNumber
      const isRaised = present?.number === holdNumber && present.isOpen && present.amount < amount
      if (isNext || isRaised) holds.set(jobId, { number: holdNumber, amount, isOpen: true })
      return true
    },
    checkpoint: async (hold, costNano) => post(hold, costNano),
    async settle(hold, costNano) {
      post(hold, costNano)
      close(hold)
    },
    release: async (hold) => close(hold),
  }
}
