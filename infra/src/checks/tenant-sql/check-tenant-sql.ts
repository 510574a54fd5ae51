import type { SqlText } from './sql-texts.ts'

/** A table whose rows belong to workspaces, and the column that says to which. */
export type TenantTables = ReadonlyMap<string, string>

/**
 * The tables that name the workspace of their rows, from the schema. Wallets are workspaces, so what names its wallet
 * names its workspace.
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

/** Functions that write conditions of which the workspace is the first; each has tests of its own. */
const writeWorkspace = /\$\{(?:conditionsOf|timesOf)\(\)\}/

/** What a lease hands to its holder: whoever names it has been given the row. */
const withLease = /\bgeneration = \$\d/

/** Says what is wrong with a statement, or null: it restricts what it touches to a workspace, or to a row it holds. */
export function checkTenantSql({ text }: SqlText, tables: TenantTables): string | null {
  const touched = [...new Set(tablesOf(text))].filter((table) => tables.has(table))
  if (touched.length === 0 || withLease.test(text) || writeWorkspace.test(text)) return null
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

/** Whether rows are only added, with their workspace among the columns. */
function insertsWith(text: string, table: string, column: string): boolean {
  const [, columns] = new RegExp(`\\bINSERT INTO ${table}(?: AS \\w+)?\\s*\\(([^)]*)\\)`).exec(text) ?? []
  const isRead = new RegExp(`\\b(?:FROM|JOIN|USING)\\s+${table}\\b|\\bUPDATE ${table}\\b`).test(text)
  return columns !== undefined && !isRead && new RegExp(`\\b${column}\\b`).test(columns)
}
