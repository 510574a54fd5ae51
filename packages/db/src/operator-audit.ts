import type { PrismaClient } from './generated/client.ts'

/** What an operator changed in a workspace. */
export interface OperatorChange {
  readonly id: string
  readonly workspaceId: string
  readonly action:
    | 'budget.set'
    | 'budget.removed'
    | 'key.changed'
    | 'person.erasure_requested'
    | 'person.erasure_confirmed'
  readonly subject: string
  /** Only what JSON has. */
  readonly before: object | null
  readonly after: object | null
  readonly at: Date
}

/** In the place of the id of a request: operators write to the database. */
export const operatorRequest = 'ratchet admin'

/** Writes the row of the audit, without a person: whoever has the database is the operator. */
export async function recordOperatorChange(
  tx: Pick<PrismaClient, 'auditEvent'>,
  { before, after, at, ...change }: OperatorChange,
): Promise<void> {
  const textOf = (value: object | null) => (value === null ? null : JSON.stringify(value))
  const texts = { before: textOf(before), after: textOf(after) }
  await tx.auditEvent.create({ data: { ...change, ...texts, userId: null, requestId: operatorRequest, createdAt: at } })
}
