import { readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'

/** A fleet may still run from an older bundle and load a file of it later. */
const keptMs = 7 * 24 * 60 * 60 * 1_000

/** Removes bundles that nobody has started for a week. */
export function removeOldBundles(outdir: string, now = Date.now()): void {
  for (const name of readdirSync(outdir)) {
    const folder = path.join(outdir, name)
    const usedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? now
    if (now - usedAt > keptMs) rmSync(folder, { recursive: true, force: true })
  }
}
