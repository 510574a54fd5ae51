import { readdir } from 'node:fs/promises'
import path from 'node:path'

/** Folder of the migrations, `<yyyymmddhhmmss>_<change>.sql`. */
export const migrationsFolder: string = path.join(import.meta.dirname, '..', 'migrations')

/** The names of the migrations in a folder, without `.sql`, in order. */
export async function migrationNames(folder: string = migrationsFolder): Promise<readonly string[]> {
  const files = await readdir(folder)
  return files.flatMap((file) => (file.endsWith('.sql') ? [path.basename(file, '.sql')] : [])).sort()
}
