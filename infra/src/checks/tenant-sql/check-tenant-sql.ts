import type { SqlText } from './sql-texts.ts'

/** The tables whose rows belong to workspaces, with the column that holds the workspace's id. */
export type TenantTables = ReadonlyMap<string, string>

/**
 * Finds the tables of the schema whose rows belong to workspaces. A wallet has the id of its workspace, so `wallet_id`
 * counts as well.
 *
 * @param schema text of Prisma's schema files
 */
export function tenantTables(schema: string): TenantTables {
  const models = schema.matchAll(/^model \w+ \{([\s\S]*?)^\}/gm)
  return new Map(
    [...models].flatMap(([, body = '']): [string, string][] => {
      const [, table] = /@@map\("(\w+)"\)/.exec(body) ?? []
      const [, column] = /@map\("(workspace_id|wallet_id)"\)/.exec(body) ?? []
      return table === undefined || column === undefined ? [] : [[table, column]]
    }),
  )
}

/** What writes a WHERE clause beginning with the workspace; each has its own tests. */
const writeWorkspace = /\$\{(?:(?:conditionsOf|timesOf)\(\)|inScope)\}/

/** How statements for ClickHouse name the workspace. */
const inClickHouse = /\bworkspace_id (?:= \{workspace:UUID\}|IN \{workspaces:Array\(UUID\)\})/

/** The fencing token of a lease: only the worker that leased the row knows it. */
const withLease = /\bgeneration = \$\d/

/** @returns the problem of a statement, or null when it is restricted to a workspace or to a leased row */
export function checkTenantSql({ text }: SqlText, tables: TenantTables): string | null {
  const touched = [...new Set(tablesOf(text))].filter((table) => tables.has(table))
  if (touched.length === 0 || withLease.test(text)) return null
  if (writeWorkspace.test(text) || inClickHouse.test(text)) return null
  const column = `(?:\\w+\\.)?(?:${[...new Set(touched.map((table) => tables.get(table)))].join('|')}|workspace_id)`
  if (new RegExp(`\\b${column} (?:= (?:ANY\\()?\\$\\d|= \\$\\{\\?\\}|= ANY\\(\\$)`).test(text)) return null
  if (touched.every((table) => insertsWith(text, table, column))) return null
  return `touches ${touched.join(', ')} of every workspace`
}

function tablesOf(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE|USING)\s+(?:ONLY\s+)?"?([a-z_]+)"?/g)].map(
    ([, table = '']) => table,
  )
}

/** Whether the statement only inserts rows, with their workspace among the columns. */
function insertsWith(text: string, table: string, column: string): boolean {
  const [, columns] = new RegExp(`\\bINSERT INTO ${table}(?: AS \\w+)?\\s*\\(([^)]*)\\)`).exec(text) ?? []
  const isRead = new RegExp(`\\b(?:FROM|JOIN|USING)\\s+${table}\\b|\\bUPDATE ${table}\\b`).test(text)
  return columns !== undefined && !isRead && new RegExp(`\\b${column}\\b`).test(columns)
}
