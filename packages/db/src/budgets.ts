import type { Prisma, PrismaClient } from './generated/client.ts'

const shown = {
  id: true,
  scope: true,
  subject: true,
  period: true,
  amount: true,
  fallbackModel: true,
  warnAt: true,
} as const

export type BudgetRow = Readonly<Prisma.BudgetGetPayload<{ select: typeof shown }>>

/** Models that a change of budgets needs, in a transaction of the caller. */
export type BudgetDb = Pick<PrismaClient, 'budget'>

export interface NewBudget extends BudgetRow {
  readonly workspaceId: string
  /** The person who sets it; null for the operator. */
  readonly createdBy: string | null
  readonly at: Date
}

export interface SavedBudget {
  /** The one that it replaces; null when there was none. */
  readonly before: BudgetRow | null
  readonly after: BudgetRow
}

/** Saves a budget in place of that of the same subject and period, whose id it then has. */
export async function saveBudget(
  db: BudgetDb,
  { at, createdBy, workspaceId, ...budget }: NewBudget,
): Promise<SavedBudget> {
  const { scope, subject, period, amount, fallbackModel, warnAt } = budget
  const where = { workspaceId_scope_subject_period: { workspaceId, scope, subject, period } }
  const before = await db.budget.findUnique({ where, select: shown })
  const after = await db.budget.upsert({
    where,
    create: { ...budget, workspaceId, createdBy, createdAt: at, updatedAt: at },
    update: { amount, fallbackModel, warnAt, createdBy, updatedAt: at },
    select: shown,
  })
  return { before, after }
}

/** Removes a budget, and returns it; null when the workspace has no such budget. */
export async function removeBudget(db: BudgetDb, workspaceId: string, id: string): Promise<BudgetRow | null> {
  const before = await db.budget.findFirst({ where: { id, workspaceId }, select: shown })
  if (before !== null) await db.budget.deleteMany({ where: { id, workspaceId } })
  return before
}

/** The budgets of a workspace, those of the workspace itself first. */
export async function listBudgets(db: BudgetDb, workspaceId: string): Promise<readonly BudgetRow[]> {
  const rows = await db.budget.findMany({ where: { workspaceId }, select: shown })
  return rows.toSorted((a, b) => order(a).localeCompare(order(b)))
}

function order({ scope, subject, period }: BudgetRow): string {
  return `${scope === 'workspace' ? '' : scope} ${subject} ${period}`
}
