import { z } from 'zod'
import { ApiError } from '../../../api/api-error.ts'

const Details = z.object({
  all_of: z.boolean().default(false),
  missing: z.array(z.looseObject({ requirement: z.string(), detail: z.string() })).min(1),
})

export interface MissingEvidence {
  /** Whether all rows are missing, and not one of them would be enough. */
  readonly isAll: boolean
  readonly rows: readonly { readonly requirement: string; readonly detail: string }[]
}

/** What an adoption lacks, from the refusal of the evidence policy; null for another error. */
export function missingOf(error: unknown): MissingEvidence | null {
  if (!(error instanceof ApiError) || error.status !== 412) return null
  const { data } = Details.safeParse(error.details)
  return data === undefined ? null : { isAll: data.all_of, rows: data.missing }
}
