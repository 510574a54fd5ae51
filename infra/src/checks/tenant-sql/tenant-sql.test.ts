import { repositoryRoot } from '../../fleet/data-paths.ts'
import { checkTenantSql, tenantTables } from './check-tenant-sql.ts'
import { crossings } from './crossings.ts'
import { findCrossings } from './find-crossings.ts'
import { sqlTexts } from './sql-texts.ts'

const tables = tenantTables(`
model Thing {
  id          String @id @db.Uuid
  workspaceId String @map("workspace_id") @db.Uuid

  @@map("thing")
}

model Entry {
  walletId String @map("wallet_id") @db.Uuid

  @@map("entry")
}

model Country {
  id String @id

  @@map("country")
}
`)
const check = (text: string) => checkTenantSql({ name: 'read', text }, tables)

describe('a statement that touches rows of workspaces', () => {
  it.each([
    'SELECT * FROM thing WHERE id = $1',
    'SELECT * FROM country c JOIN thing t ON t.country = c.id WHERE c.id = $1',
    "DELETE FROM thing WHERE created_at < now() - interval '1 day'",
    'UPDATE thing SET name = $2 WHERE id = $1',
    'UPDATE thing SET workspace_id = workspace_id WHERE id = $1',
    'SELECT workspace_id FROM thing WHERE id = $1',
    'SELECT a.id FROM thing a JOIN thing b ON b.workspace_id = a.workspace_id WHERE a.id = $1',
    'INSERT INTO thing (id, name) VALUES ($1, $2)',
    'INSERT INTO thing (id, workspace_id) SELECT $1, workspace_id FROM thing WHERE id = $2',
    'WITH one AS (SELECT * FROM entry) SELECT * FROM one',
  ])('is reported when it names no workspace: %s', (text) => {
    expect(check(text)).toMatch(/of every workspace$/)
  })

  it.each([
    'SELECT * FROM thing WHERE workspace_id = $1 AND id = $2',
    'SELECT * FROM thing t WHERE t.workspace_id = ANY($1::uuid[])',
    'SELECT * FROM entry WHERE wallet_id = $1',
    'UPDATE thing SET state = $3 WHERE id = $1 AND generation = $2',
    'INSERT INTO thing (id, workspace_id) VALUES ($1, $2)',
    'SELECT * FROM country WHERE id = $1',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what remains of a call
    'SELECT * FROM thing t WHERE ${conditionsOf()}',
  ])('is allowed when it names one, or a lease: %s', (text) => {
    expect(check(text)).toBeNull()
  })
})

describe('the reader of statements', () => {
  it('inserts constants, skips texts that are only parts of others, and names each statement', () => {
    const code = [
      "const isMine = 'workspace_id = $1'",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source code under test
      'const from = `FROM thing WHERE ${isMine}`',
      'export function createPgThings(pool: Pool) {',
      '  return {',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source code under test
      '    async list() { const text = `SELECT * ${from} LIMIT 1`; return pool.query(text) },',
      '    sweep: () => pool.query("DELETE FROM thing"),',
      '  }',
      '}',
    ].join('\n')
    expect(sqlTexts(code)).toEqual([
      { name: 'list', text: 'SELECT * FROM thing WHERE workspace_id = $1 LIMIT 1' },
      { name: 'sweep', text: 'DELETE FROM thing' },
    ])
  })
})

describe('statements that work-kit writes', () => {
  const file = (description: string) =>
    ["const done = `state = 'done'`", `const items = createPgItems<Row, Item>(pool, ${description}, read)`].join('\n')

  it('are read in full', () => {
    const description =
      "{ table: 'thing', requires: { from: 'country c', where: 'c.id = t.country' }, leased: 't.*', completed: done }"
    const found = new Map(sqlTexts(file(description)).map(({ name, text }) => [name, text]))
    expect(found.get('lease')).toMatch(/UPDATE thing t SET [\s\S]*FROM country c\s+WHERE t.id = \$1/)
    expect(found.get('complete')).toContain("SET state = 'done', last_error = NULL")
    const crossing = [...found].filter(([, text]) => check(text) !== null).map(([name]) => name)
    expect(crossing).toEqual(['lease', 'take', 'deadLetterAbandoned', 'overdue'])
  })

  it.each(['described', "{ table: nameOf(thing), leased: 't.*' }", '{ table: imported }', '{ ...others }'])(
    'must be described by a literal: %s',
    (description) => {
      expect(() => sqlTexts(file(description))).toThrow(/description of a table/)
    },
  )
})

describe('the statements of the product', () => {
  const { checked, crossings: found } = findCrossings(repositoryRoot)
  const listed = Object.values(crossings).flatMap((files) =>
    Object.entries(files).flatMap(([file, names]) => names.map((name) => `${file} ${name}`)),
  )

  it('are found', () => {
    expect(checked).toBeGreaterThan(250)
  })

  it('name a workspace, or are listed with a reason', () => {
    expect(found.filter(({ file, name }) => !listed.includes(`${file} ${name}`))).toEqual([])
  })

  it('use every exception of the list', () => {
    const names = new Set(found.map(({ file, name }) => `${file} ${name}`))
    expect(listed.filter((each) => !names.has(each))).toEqual([])
  })
})
