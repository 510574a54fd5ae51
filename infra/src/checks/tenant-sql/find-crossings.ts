import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { checkTenantSql, type TenantTables, tenantTables } from './check-tenant-sql.ts'
import { sqlTexts } from './sql-texts.ts'

/** A statement that names no workspace. */
export interface Crossing {
  /** `judging/pg-runs`; the folder of stores is left out. */
  readonly file: string
  readonly name: string
  readonly problem: string
}

export interface StatementSearch {
  /** Number of statements that were checked. */
  readonly checked: number
  readonly crossings: readonly Crossing[]
}

/** Checks every statement of the shipped code that touches rows of workspaces. */
export function findCrossings(root: string): StatementSearch {
  const tables = tablesOf(root)
  const files = globSync(['services/*/src/**/*.ts', 'packages/{db,service-kit,work-kit,cli}/src/**/*.ts'], {
    cwd: root,
  })
  const shipped = files.filter((file) => !/\.(?:test|fixture|contract)\.ts$|\/(?:generated|node_modules)\//.test(file))
  const found = shipped.toSorted().map((file) => search(root, file, tables))
  return {
    checked: found.reduce((sum, { checked }) => sum + checked, 0),
    crossings: found.flatMap(({ crossings }) => crossings),
  }
}

/** Reads from the schema which tables belong to workspaces. */
function tablesOf(root: string): TenantTables {
  const folder = path.join(root, 'packages', 'db', 'prisma', 'schema')
  const schema = globSync('*.prisma', { cwd: folder }).map((file) => readFileSync(path.join(folder, file), 'utf8'))
  return tenantTables(schema.join('\n'))
}

function search(root: string, file: string, tables: TenantTables): StatementSearch {
  const code = readFileSync(path.join(root, file), 'utf8')
  // Most files hold no SQL, and parsing is what takes time.
  if (!/SELECT|INSERT INTO|UPDATE |DELETE FROM/.test(code)) return { checked: 0, crossings: [] }
  const texts = sqlTexts(code)
  const short = file
    .replace(/^(?:services|packages)\//, '')
    .replace('/src/', '/')
    .replace(/\.ts$/, '')
  const crossings = texts.flatMap((text): readonly Crossing[] => {
    const problem = checkTenantSql(text, tables)
    return problem === null ? [] : [{ file: short, name: text.name, problem }]
  })
  return { checked: texts.length, crossings }
}
