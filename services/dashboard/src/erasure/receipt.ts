import { createHash } from 'node:crypto'
import { type ErasureReceipt, erasureCounts } from '@ratchet/contracts/dashboard/erasures'
import { versionsOf } from './erasure-reply.ts'
import type { ShownErasure } from './shown-erasure.ts'

export interface Receipt {
  /** JSON. */
  readonly text: string
  readonly sha256: string
}

export interface ReceiptOf {
  readonly workspaceId: string
  readonly erasure: ShownErasure & { readonly person: string }
  readonly endedAt: Date
}

/** What was erased of a person and what was kept, without their name. */
export function receiptOf({ workspaceId, erasure, endedAt }: ReceiptOf): Receipt {
  const { id, person, parts } = erasure
  const erased = erasureCounts(parts, 'erased')
  const receipt: ErasureReceipt = {
    version: 1,
    id,
    workspace_id: workspaceId,
    kind: 'end_user',
    person_sha256: sha256(`${id} ${person}`),
    requested_by: erasure.requestedBy,
    requested_at: erasure.requestedAt.toISOString(),
    confirmed_by: erasure.confirmedBy,
    confirmed_at: (erasure.confirmedAt ?? endedAt).toISOString(),
    ended_at: endedAt.toISOString(),
    erased,
    kept: keptBeside(erased),
    model_versions: versionsOf(parts),
  }
  const text = JSON.stringify(receipt)
  return { text, sha256: sha256(text) }
}

/** Kinds of rows that stay without what they said, and why. */
const reasons: Readonly<Record<string, string>> = {
  ledger_rows: 'Charges are kept by law, under a random number in place of the end user.',
  audit_texts: 'Entries of the audit keep their digest, so that the chain can be verified, and not their text.',
  grade_notes: 'Grades stay as pass or fail, without notes: judges were measured with them.',
  graded_texts: 'The place of a graded text stays, empty: grades refer to it.',
  verdict_texts: 'Verdicts stay as pass or fail, without explanations.',
  eval_samples: 'Samples keep their measurements, without texts.',
  calls: 'A call keeps its times and its costs, without what was said.',
}

function keptBeside(erased: ErasureReceipt['erased']): ErasureReceipt['kept'] {
  return Object.entries(reasons).flatMap(([kind, why]) => {
    const count = erased.filter((each) => each.kind === kind).reduce((sum, each) => sum + each.count, 0)
    return count === 0 ? [] : [{ kind, count, why }]
  })
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
