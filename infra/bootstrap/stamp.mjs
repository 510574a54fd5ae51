import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * One hash over files, folders (in the order of names) and words. A missing path counts as empty.
 *
 * @param {string[]} paths
 * @param {string[]} words
 */
export function fingerprint(paths, words = []) {
  const hash = createHash('sha256')
  for (const word of words) hash.update(`${word}\0`)
  for (const path of paths) addPath(hash, path)
  return hash.digest('hex')
}

function addPath(hash, path) {
  if (!existsSync(path)) return
  if (!statSync(path).isDirectory()) {
    hash.update(path).update(readFileSync(path))
    return
  }
  for (const name of readdirSync(path).sort()) addPath(hash, join(path, name))
}

/** Whether the file holds this fingerprint. */
export function isFresh(stampFile, value) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === value
}

export function writeStamp(stampFile, value) {
  writeFileSync(stampFile, value)
}
