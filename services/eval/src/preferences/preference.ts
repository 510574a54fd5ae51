import type { Preferred } from '@ratchet/contracts/eval-preferences'

/** A person's preference between the baseline and one candidate. */
export interface Preference {
  readonly id: string
  readonly workspaceId: string
  readonly runId: string
  readonly sampleId: string
  /** From 1. */
  readonly candidateIndex: number
  readonly preferred: Preferred
  readonly grader: string
  /** Whether the person saw neither the names of the models nor the verdict. */
  readonly isBlind: boolean
  /** The user who sent it. Null for preferences of earlier releases. */
  readonly createdBy: string | null
  /** The key that sent it; null for a session. */
  readonly keyId: string | null
  readonly createdAt: Date
}

/** The latest preference of a grader, with the place of its sample as in measurements. */
export interface CurrentPreference extends Pick<Preference, 'candidateIndex' | 'preferred' | 'grader'> {
  readonly place: string
}

interface OfEval {
  readonly workspaceId: string
  readonly runId: string
}

/** Preferences of people. They are only added. */
export interface PreferenceStore {
  /** False when the eval has no finished sample of this id. */
  add(preference: Preference): Promise<boolean>
  /** Newest first. */
  list(
    where: OfEval & { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly total: number; readonly preferences: readonly Preference[] }>
  /** The latest preference of each grader for each pair. */
  current(where: OfEval): Promise<readonly CurrentPreference[]>
}
