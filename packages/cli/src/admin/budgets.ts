import { type BudgetPeriod, windowStartOf } from '@ratchet/contracts/budget-window'
import { budgetPeriods, budgetScopes } from '@ratchet/contracts/budgets'
import { formatUsd, nanoToUsd } from '@ratchet/contracts/money'
import { readBudgetSpend } from '@ratchet/db/budget-spend'
import { type BudgetRow, listBudgets, removeBudget, saveBudget } from '@ratchet/db/budgets'
import { recordOperatorChange } from '@ratchet/db/operator-audit'
import { Option } from 'commander'
import { type Answer, formatTable } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { parseAmount, parseId, parseSlug, parseText } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, newRow, workspaceOf } from './admin-commands.ts'

interface SetOptions {
  readonly workspace: string
  readonly scope: (typeof budgetScopes)[number]
  readonly subject?: string
  readonly period: BudgetPeriod
  readonly usd: bigint
  readonly fallback?: string
  readonly warn?: bigint
}

export function setBudget({ admin, run }: AdminCommands): void {
  admin
    .command('set')
    .description('Set what somebody may spend in a period (UTC). It replaces the budget that there was.')
    .requiredOption('--workspace <slug>', 'its workspace', parseSlug)
    .addOption(new Option('--scope <scope>', 'whose it is').choices(budgetScopes).default('workspace'))
    .option('--subject <name>', 'the id of the key, the end user or the tag; * for each one for itself', parseText)
    .addOption(new Option('--period <period>', 'for how long').choices(budgetPeriods).default('month'))
    .requiredOption('--usd <amount>', 'US dollars, such as 25.00', parseAmount)
    .option('--fallback <model>', 'a cheaper model or alias; default: requests are refused', parseText)
    .option('--warn <amount>', 'US dollars from which on people are told', parseAmount)
    .action((options: SetOptions) => run((deps) => set(deps, options)))
}

export function listBudgetsCommand({ admin, run }: AdminCommands): void {
  admin
    .command('list')
    .description('List the budgets of a workspace, and what was spent under them in the present period.')
    .requiredOption('--workspace <slug>', 'its workspace', parseSlug)
    .action(({ workspace }: { workspace: string }) => run((deps) => list(deps, workspace)))
}

export function removeBudgetCommand({ admin, run }: AdminCommands): void {
  admin
    .command('remove')
    .description('Remove a budget.')
    .argument('<id>', 'its id, as list prints it', parseId)
    .requiredOption('--workspace <slug>', 'its workspace', parseSlug)
    .action((id: string, { workspace }: { workspace: string }) => run((deps) => remove(deps, id, workspace)))
}

async function set(deps: AdminDeps, options: SetOptions): Promise<Answer> {
  const { workspace: slug, scope, subject = '', period, usd, fallback = null, warn = null } = options
  if ((scope === 'workspace') !== (subject === '')) {
    throw new CliError('--subject: expected for keys, users and tags, and only there', { exitCode: 2 })
  }
  const workspace = await workspaceOf(deps, slug)
  if (scope === 'key' && subject !== '*') await requireKey(deps, workspace.id, subject)
  const { id, at } = newRow(deps)
  const budget = { id, scope, subject, period, amount: usd, fallbackModel: fallback, warnAt: warn }
  const after = await deps.db.$transaction(async (tx) => {
    const saved = await saveBudget(tx, { ...budget, workspaceId: workspace.id, createdBy: null, at })
    const change = { workspaceId: workspace.id, action: 'budget.set' as const, subject: saved.after.id }
    const before = saved.before === null ? null : toJson(saved.before)
    await recordOperatorChange(tx, { ...newRow(deps), ...change, before, after: toJson(saved.after) })
    return saved.after
  })
  return { json: toJson(after), text: `${slug}: ${describe(after)} (${after.id})` }
}

async function requireKey({ db }: AdminDeps, workspaceId: string, subject: string): Promise<void> {
  const isId = /^[0-9a-f-]{36}$/.test(subject)
  if (!isId || (await db.apiKey.count({ where: { workspaceId, id: subject } })) === 0) {
    throw new CliError(`--subject: the workspace has no key ${subject}`)
  }
}

async function list(deps: AdminDeps, slug: string): Promise<Answer> {
  const workspace = await workspaceOf(deps, slug)
  const budgets = await listBudgets(deps.db, workspace.id)
  const { pool } = await deps.openLedger(workspace.ledger)
  const places = budgets.map(({ id, period }) => ({
    id,
    windowStart: windowStartOf(period as BudgetPeriod, deps.now()),
  }))
  const spend = await readBudgetSpend(pool, workspace.id, { places, maxSubjects: 1 })
  const rows = budgets.map((budget) => ({ budget, most: spend.find(({ id }) => id === budget.id) ?? null }))
  const cells = rows.map(({ budget, most }) => [
    budget.id,
    describe(budget),
    formatUsd(most?.spentNano ?? 0n),
    formatUsd(most?.heldNano ?? 0n),
    most?.subject ?? '',
  ])
  return {
    json: {
      object: 'list',
      data: rows.map(({ budget, most }) => ({
        ...toJson(budget),
        spent_usd: nanoToUsd(most?.spentNano ?? 0n),
        held_usd: nanoToUsd(most?.heldNano ?? 0n),
      })),
    },
    text:
      rows.length === 0
        ? `${slug} has no budgets`
        : formatTable([['ID', 'BUDGET', 'SPENT', 'HELD', 'MOST BY'], ...cells]),
  }
}

async function remove(deps: AdminDeps, id: string, slug: string): Promise<Answer> {
  const workspace = await workspaceOf(deps, slug)
  const removed = await deps.db.$transaction(async (tx) => {
    const before = await removeBudget(tx, workspace.id, id)
    if (before === null) return null
    const change = { workspaceId: workspace.id, action: 'budget.removed' as const, subject: id }
    await recordOperatorChange(tx, { ...newRow(deps), ...change, before: toJson(before), after: null })
    return before
  })
  if (removed === null) throw new CliError(`<id>: ${slug} has no budget ${id}`)
  return { json: { id, removed: true }, text: `${slug}: removed ${describe(removed)}` }
}

function describe({ scope, subject, period, amount, fallbackModel }: BudgetRow): string {
  const whose = scope === 'workspace' ? 'the workspace' : subject === '*' ? `each ${scope}` : `${scope} ${subject}`
  const span = period === 'total' ? 'in all' : `a ${period}`
  const beyond = fallbackModel === null ? 'refuses' : `falls back to ${fallbackModel}`
  return `${whose}: ${formatUsd(amount)} USD ${span}, then ${beyond}`
}

function toJson({ id, scope, subject, period, amount, fallbackModel, warnAt }: BudgetRow): Record<string, unknown> {
  return {
    id,
    scope,
    subject,
    period,
    amount_usd: nanoToUsd(amount),
    fallback_model: fallbackModel,
    warn_at_usd: warnAt === null ? null : nanoToUsd(warnAt),
  }
}
