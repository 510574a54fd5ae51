import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** Full path of a program, or null. Also searches sbin folders, where servers often are and which PATH often lacks. */
export function findProgram(name: string): string | null {
  const onPath = (process.env.PATH ?? '').split(path.delimiter)
  const folders = [...onPath, '/usr/local/sbin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin']
  return folders.map((folder) => path.join(folder, name)).find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
