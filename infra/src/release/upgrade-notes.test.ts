import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { largeTables, longStatements } from './long-statements.ts'

const folder = path.join(repositoryRoot, 'packages/db/migrations')
const notes = readFileSync(path.join(repositoryRoot, 'docs/upgrading.md'), 'utf8')
const migrations = readdirSync(folder)
  .sort()
  .map((file) => ({ name: path.basename(file, '.sql'), sql: readFileSync(path.join(folder, file), 'utf8') }))
const named = [...notes.matchAll(/`(\d{14}_\w+)`/g)].map(([, name = '']) => name)

/* A new migration that fails here belongs in docs/upgrading.md: with those that need time, or with those that need nothing. */
it('name every migration that reads or writes a whole table, and no other', () => {
  const long = migrations.filter(({ sql }) => longStatements(sql).length > 0).map(({ name }) => name)

  expect([...new Set(named)].sort()).toEqual(long)
})

it('have a section for the version of the repository', () => {
  const { version } = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')) as { version: string }

  expect(notes).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')}$`, 'm'))
})

it('know the tables that grow with traffic by their present names', () => {
  const all = migrations.map(({ sql }) => sql).join('\n')

  expect([...largeTables].filter((name) => !all.includes(`CREATE TABLE "${name}"`))).toEqual([])
})

it.each([
  ['an index', 'CREATE INDEX CONCURRENTLY "a_idx" ON "exchange"("id");', 1],
  ['an index on a new table', 'CREATE TABLE "exchange" ("id" UUID);\nCREATE INDEX "a_idx" ON "exchange"("id");', 0],
  ['an index on a small table', 'CREATE INDEX "a_idx" ON "alias"("id");', 0],
  ['an update', 'UPDATE "judgement" SET "state" = \'done\';', 1],
  [
    'an update in a function',
    'CREATE FUNCTION f() RETURNS void AS $$ BEGIN; UPDATE "judgement" SET "a" = 1; END $$;',
    0,
  ],
  ['a copy', 'INSERT INTO "alias_event" ("id") SELECT "id" FROM "alias";', 1],
  ['a column', 'ALTER TABLE "exchange" ADD COLUMN "a" TEXT;', 0],
  ['a constraint', 'ALTER TABLE "exchange" ADD CONSTRAINT "c" CHECK ("a" > 0);', 1],
  ['a constraint for new rows', 'ALTER TABLE "exchange" ADD CONSTRAINT "c" CHECK ("a" > 0) NOT VALID;', 0],
  ['another type', 'ALTER TABLE "label"\n  ALTER COLUMN "a" TYPE BIGINT;', 1],
])('know that %s takes time, or none', (_name, sql, count) => {
  expect(longStatements(sql)).toHaveLength(count)
})
