import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Creates a folder that other users can enter: root runs Postgres as another user. */
export function makeTempFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ratchet-test-'))
  chmodSync(folder, 0o711)
  return folder
}

/** Calls `use` with a temporary folder and removes the folder afterwards, also after an error. */
export async function withTempFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = makeTempFolder()
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
