import { FailureCause } from '@ratchet/contracts/failure-causes'
import { failureGroups } from '@ratchet/contracts/failures'
import { z } from 'zod'

/** How many days back requests are counted. */
export const failureDays = ['1', '7', '30'] as const

export const FailureSearch = z.object({
  group_by: z.enum(failureGroups).optional(),
  days: z.enum(failureDays).optional(),
  /** The group whose requests are listed. */
  open: z.string().max(300).optional(),
  /** The cause of the listed requests, where groups are not causes. */
  cause: FailureCause.optional(),
})
