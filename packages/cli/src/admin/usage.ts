import { formatUsd } from '@ratchet/contracts/money'
import { readUsageReport, type UsageGrouping, type UsageReport } from '@ratchet/db/usage-report'
import { csvLine } from '@ratchet/service-kit/values/csv'
import { Option } from 'commander'
import { type Answer, formatTable } from '../answer.ts'

import { parseDays, parseSlug } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, workspaceOf } from './admin-commands.ts'

interface Options {
  readonly workspace: string
  readonly by: UsageGrouping
  readonly days: number
  readonly csv?: true
}

const groupings: readonly UsageGrouping[] = ['key', 'user', 'model', 'tag', 'alias', 'kind', 'day']
const [hourMs, dayMs] = [3_600_000, 86_400_000]

export function usage({ admin, run }: AdminCommands): void {
  admin
    .command('usage')
    .description('Show what a workspace was charged for. All groups add up to what the ledger charged.')
    .requiredOption('--workspace <slug>', 'its workspace', parseSlug)
    .addOption(new Option('--by <group>', 'what to group by').choices(groupings).default('model'))
    .option('--days <count>', 'days back from now', parseDays, 30)
    .option('--csv', 'as comma-separated values, with nano-dollars')
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { workspace: slug, by, days, csv }: Options): Promise<Answer> {
  const workspace = await workspaceOf(deps, slug)
  const { pool } = await deps.openLedger(workspace.ledger)
  const to = new Date(Math.ceil((deps.now().getTime() + 1) / hourMs) * hourMs)
  const from = new Date(to.getTime() - days * dayMs)
  const report = await readUsageReport(pool, workspace.id, { from, to, grouping: by })
  const named = by === 'user' ? await withNames(deps, workspace.id, report) : report
  const { chargesNano, unattributedNano, groups } = named
  return {
    json: {
      workspace: slug,
      group_by: by,
      from: from.toISOString(),
      to: to.toISOString(),
      charges_nano: String(chargesNano),
      unattributed_nano: String(unattributedNano),
      groups: groups.map(({ group, requests, costNano }) => ({ group, requests, cost_nano: String(costNano) })),
    },
    text: csv === true ? csvOf(named) : tableOf(named, by),
  }
}

/** The ledger has numbers of end users; the main database has their names. */
async function withNames({ pool }: AdminDeps, workspaceId: string, report: UsageReport): Promise<UsageReport> {
  const ids = report.groups.flatMap(({ group }) => group ?? [])
  const text = 'SELECT id, name FROM end_user WHERE workspace_id = $1 AND id = ANY($2::uuid[])'
  const { rows } = await pool.query<{ id: string; name: string }>(text, [workspaceId, ids])
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  const groups = report.groups.map((row) => ({ ...row, group: row.group && (names.get(row.group) ?? row.group) }))
  return { ...report, groups }
}

function tableOf({ chargesNano, unattributedNano, groups }: UsageReport, by: UsageGrouping): string {
  const rows = groups.map(({ group, requests, costNano }) => [group ?? 'none', String(requests), formatUsd(costNano)])
  const rest = unattributedNano === 0n ? [] : [['unattributed', '', formatUsd(unattributedNano)]]
  return formatTable([[by.toUpperCase(), 'REQUESTS', 'USD'], ...rows, ...rest, ['charged', '', formatUsd(chargesNano)]])
}

function csvOf({ unattributedNano, groups }: UsageReport): string {
  const lines = groups.map(({ group, requests, costNano }) =>
    csvLine(['group', group ?? '', String(requests), String(costNano)]),
  )
  return [
    csvLine(['kind', 'group', 'requests', 'cost_nano']),
    ...lines,
    csvLine(['unattributed', '', '', String(unattributedNano)]),
  ]
    .join('')
    .trimEnd()
}
