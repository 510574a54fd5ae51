import { readdir } from 'node:fs/promises'
import path from 'node:path'

/** Where the migrations are. */
export const migrationsFolder: string = path.join(import.meta.dirname, '..', 'prisma', 'migrations')

/** The names of all migrations in a folder, which is that of this code when none is named, in the order they are applied. */
export async function migrationNames(folder: string = migrationsFolder): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()
}
