import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Creates a file that no other process created before. Of several concurrent claims one succeeds.
 *
 * @param isHeld whether the record of an earlier claim is still valid; one that is not is removed
 * @returns null, or the record of the process that holds the file
 */
export function claimFile<T>(file: string, own: T, isHeld: (record: T) => boolean): T | null {
  for (;;) {
    if (createExclusively(file, own)) return null
    const record = readRecord<T>(file)
    if (record !== null && isHeld(record)) return record
    removeStale(file, record)
  }
}

function createExclusively(file: string, record: unknown): boolean {
  const draft = `${file}.${process.pid}.claim`
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600 })
  try {
    // Creating a link is atomic, and fails when the file exists.
    linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Removes the record of a process that has ended, but not a newer claim of another process. */
function removeStale(file: string, stale: unknown): void {
  const aside = `${file}.${process.pid}.stale`
  try {
    renameSync(file, aside)
  } catch {
    return
  }
  if (JSON.stringify(readRecord(aside)) !== JSON.stringify(stale)) linkSync(aside, file)
  rmSync(aside)
}

/** Null when there is no file, or no JSON in it. */
function readRecord<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return null
  }
}
