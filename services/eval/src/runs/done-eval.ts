import { publicId } from '@ratchet/contracts/public-id'

/** An eval that is done, and of which nobody was told. */
export interface DoneEval {
  readonly id: string
  readonly workspaceId: string
  readonly createdBy: string
  readonly name: string
  readonly finishedAt: Date
}

/** Behind which place in the order of their ends evals are looked for. */
export type DonePlace = Pick<DoneEval, 'id' | 'finishedAt'>

export interface DoneEvalStore {
  /** Those that ended first, behind a place. */
  untold(limit: number, after: DonePlace | null): Promise<readonly DoneEval[]>
  keepTold(id: string, at: Date): Promise<void>
  /** Gives up those that ended before a moment. */
  giveUp(endedBefore: Date, at: Date): Promise<void>
}

/** How long webhooks are tried to be told of the end of an eval, milliseconds. */
export const tellingMs = 24 * 3_600_000

/** What webhooks are told: only which eval it is and how it ended. */
export function doneData({ id, name }: DoneEval): Readonly<Record<string, unknown>> {
  return { object: 'eval', id: publicId('eval', id), name, status: 'DONE' }
}
