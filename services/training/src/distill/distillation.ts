import type { DistillDataset } from '@ratchet/contracts/dataset-distill'
import type { DatasetProgress } from '@ratchet/contracts/dataset-progress'
import type { Share } from '@ratchet/work-kit/leases/leased-item'
import type { FrozenJudge } from '../grpo/runs/run-settings.ts'
import type { AskOrder } from '../raft/ask-samples.ts'
import type { RoundKey, RoundPrompt, RoundWork } from '../raft/round.ts'

/** Tokens of the longest answer of a teacher. A longer one is cut off, and not kept. */
export const maxOutputTokens = 4_096

/** The making of a dataset of a teacher's answers. */
export interface Distillation extends AskOrder {
  /** UUID, the same as that of the dataset. */
  readonly id: string
  /** `new`: the dataset is not shown yet. */
  readonly status: 'new' | 'open' | 'done' | 'failed'
  /** Whether the maximum cost was reached. */
  readonly isCapped: boolean
  readonly request: DistillDataset
  /** None or one. */
  readonly judges: readonly FrozenJudge[]
}

export interface NewDistillation
  extends Pick<Distillation, 'id' | 'workspaceId' | 'request' | 'judges' | 'maxCostNano' | 'createdBy' | 'createdAt'> {
  readonly prompts: readonly RoundPrompt[]
}

/** One that a worker has leased. */
export interface DrivenDistillation extends Distillation {
  readonly generation: number
  /** Tries since it last advanced. */
  readonly attempts: number
}

export interface KeptAnswer {
  readonly prompt: RoundPrompt
  readonly completion: Readonly<Record<string, unknown>>
}

/** As the API starts them. */
export interface DistillationStore {
  /** Distillations of a workspace that have not ended. */
  countUnfinished(workspaceId: string): Promise<number>
  create(distillation: NewDistillation): Promise<void>
  get(key: RoundKey): Promise<Distillation | null>
  /** Lets workers begin, once the dataset is shown. */
  open(key: RoundKey): Promise<void>
}

/** As workers drive them. */
export interface DistillationWork
  extends Pick<RoundWork, 'open' | 'answer' | 'judge' | 'costs'>,
    Pick<RoundWork, 'countOpen'> {
  take(share: Share, leaseMs: number): Promise<readonly DrivenDistillation[]>
  renew(held: { readonly id: string; readonly generation: number }, leaseMs: number): Promise<void>
  release(
    held: { readonly id: string; readonly generation: number },
    release: { readonly delayMs: number; readonly hasFailed: boolean },
  ): Promise<void>
  progress(key: RoundKey): Promise<DatasetProgress>
  /** Asks for nothing more. */
  cap(distillation: DrivenDistillation): Promise<void>
  /** Answers that the judge passed; without a judge, all of them. In the order of the prompts. */
  kept(distillation: DrivenDistillation): Promise<readonly KeptAnswer[]>
  /** Deletes up to 100 that ended, or were never shown, before then, with their prompts and answers. Of all workspaces. */
  forget(before: Date): Promise<void>
  end(distillation: DrivenDistillation, status: 'done' | 'failed', at: Date): Promise<void>
}
