import { readdir } from 'node:fs/promises'
import path from 'node:path'

/** Where the migrations are. */
export const migrationsFolder: string = path.join(import.meta.dirname, '..', 'prisma', 'migrations')

/** The names of all migrations that this code brings, in the order they are applied. */
export async function migrationNames(): Promise<readonly string[]> {
  const entries = await readdir(migrationsFolder, { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()
}
