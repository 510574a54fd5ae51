import { readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import path from 'node:path'

const dayMs = 24 * 60 * 60 * 1_000
/** A fleet may still run from an older bundle and load a file of it later. */
const unusedMs = 7 * dayMs

/** Removes bundles that no fleet has used for a week. */
export function removeOldBundles(outdir: string, now = Date.now()): void {
  for (const name of readdirSync(outdir)) {
    const folder = path.join(outdir, name)
    const usedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? now
    if (now - usedAt > unusedMs) rmSync(folder, { recursive: true, force: true })
  }
}

export function markUsed(bundle: string): void {
  const now = new Date()
  utimesSync(bundle, now, now)
}

/** Marks a bundle as used every day while this process runs. */
export function keepMarkedAsUsed(bundle: string): void {
  setInterval(markUsed, dayMs, bundle).unref()
}
