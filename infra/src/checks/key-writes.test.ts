import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { findUnawaitedKeyWrites } from './key-writes.ts'

it.each([
  ['await db.membership.update({ where })', 'membership.update'],
  ['await tx.user.update({ where, data: { disabledAt } })', 'user.update'],
  ['const { count } = await tx.apiKey.updateMany({ where })', 'apiKey.updateMany'],
  ['async function f(db) { if (a) await db.workspace.delete({ where }) }', 'workspace.delete'],
  ["await pool.query('DELETE FROM membership WHERE user_id = $1')", 'DELETE FROM membership'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the code that is checked
  ['await db.$executeRaw`UPDATE "api_key" SET revoked_at = ${at}`', 'UPDATE "api_key"'],
  ['await changeKeys(db, () => first()); await db.apiKey.delete({ where })', 'apiKey.delete'],
])('finds a write that no edge is awaited for: %s', (code, write) => {
  expect(findUnawaitedKeyWrites(code)).toEqual([write])
})

it.each([
  'await changeKeys(db, () => db.membership.upsert({ where }))',
  "await changeKeys(db, async () => { await pool.query('UPDATE api_key SET revoked_at = now()') })",
  'await db.apiKey.create({ data })',
  'await db.membership.findMany({ where })',
  "await pool.query('UPDATE workspace_settings SET a = 1'); await pool.query('DELETE FROM api_key_use')",
])('accepts %s', (code) => {
  expect(findUnawaitedKeyWrites(code)).toEqual([])
})

/** Writes that change nothing that an edge remembers, with the reason. */
const harmless: Readonly<Record<string, readonly string[]>> = {
  // Limits of a key, which inference reads.
  'packages/db/src/workspace-settings.ts': ['apiKey.updateManyAndReturn'],
  // The same, and its name.
  'services/dashboard/src/keys/pg-api-keys.ts': ['apiKey.updateManyAndReturn'],
  // Names, which no edge reads.
  'services/dashboard/src/settings/pg-settings.ts': ['workspace.update'],
  'services/dashboard/src/sign-in/pg-accounts.ts': ['user.update'],
}

it('every command that changes keys or memberships waits until the edges apply it', () => {
  const files = globSync(['services/*/src/**/*.ts', 'packages/*/src/**/*.ts', 'infra/src/**/*.ts'], {
    cwd: repositoryRoot,
  })
  const found: Record<string, readonly string[]> = {}
  for (const file of files) {
    if (/\.(?:test|fixture|contract)\.ts$|\/(?:generated|node_modules)\//.test(file)) continue
    const code = readFileSync(path.join(repositoryRoot, file), 'utf8')
    // Parsing takes time, and few files have one of these words.
    if (!/membership|api_?key|app_user|workspace/i.test(code) || !/update|upsert|delete|truncate/i.test(code)) continue
    const writes = findUnawaitedKeyWrites(code)
    if (writes.length > 0) found[file] = writes
  }
  expect(found).toEqual(harmless)
})
