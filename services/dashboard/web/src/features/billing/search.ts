import { listLedger, readStatement, usageGroups } from '@ratchet/contracts/billing'
import { z } from 'zod'

export const LedgerSearch = z.object({ from: listLedger.query.shape.from, to: listLedger.query.shape.to })

/** How many days back usage is shown. */
export const usageDays = ['7', '30', '90', '365'] as const
export const usageUnits = ['day', 'week', 'month'] as const
export type UsageUnit = (typeof usageUnits)[number]

export const UsageSearch = z.object({
  group_by: z.enum(usageGroups).optional(),
  days: z.enum(usageDays).optional(),
  unit: z.enum(usageUnits).optional(),
})

export const StatementSearch = z.object({ month: readStatement.params.shape.month.optional() })
