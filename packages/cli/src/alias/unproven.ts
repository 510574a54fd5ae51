import { z } from 'zod'
import { type Answer, formatTable } from '../answer.ts'
import type { ApiRefusal } from '../api/api-client.ts'

const Missing = z.object({
  /** All are needed, and not one of them. */
  all_of: z.boolean().default(false),
  missing: z.array(z.union([z.string(), z.looseObject({ requirement: z.string(), detail: z.string() })])).min(1),
})

const refusals = new Set(['precondition_failed', 'evidence_exhausted'])

/** The missing evidence of a repoint that the evidence policy refused; null for another error. */
export function unproven({ error }: ApiRefusal): Answer | null {
  const details = Missing.safeParse(error.details)
  if (!refusals.has(error.code ?? '') || !details.success) return null
  const rows = details.data.missing.map((each) =>
    typeof each === 'string' ? ['', '-', each] : ['', each.requirement, each.detail],
  )
  return {
    json: { applied: false, message: error.message, ...error.details },
    text: `not proven: ${error.message}\n${details.data.all_of ? 'All of these are missing' : 'One of these is sufficient'}:\n${formatTable(rows)}`,
    exitCode: 1,
  }
}
