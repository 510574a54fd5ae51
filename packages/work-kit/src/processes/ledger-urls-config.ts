import { parseLedgerUrls } from '@ratchet/db/ledger-urls'
import { z } from 'zod'

/** The zod form of {@link parseLedgerUrls}, for a service's configuration. Absent: no ledger beside the main one. */
export const LedgerUrls = z
  .string()
  .optional()
  .transform((text, context): ReadonlyMap<string, string> => {
    if (text === undefined) return new Map()
    try {
      return parseLedgerUrls(text)
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message })
      return z.NEVER
    }
  })
