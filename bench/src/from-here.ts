import path from 'node:path'

/** A path as the person meant it: npm runs scripts in the repository's folder, wherever it was called. */
export function fromHere(file: string): string {
  return path.resolve(process.env.INIT_CWD ?? '.', file)
}
