import { findPython } from '../processes/find-python.ts'
import { runProgram } from '../processes/run-program.ts'

/** Why Python's clients cannot be tried: a package index that does not answer says nothing about the product. */
export async function whyNoPython({
  signal,
  tempFolder,
}: {
  readonly signal: AbortSignal
  readonly tempFolder: string
}): Promise<string | null> {
  const found = findPython()
  if (found.kind === 'missing') return found.reason
  const args = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', tempFolder, 'pip']
  const { ok } = await runProgram({ command: found.python, args, signal, timeoutMs: 60_000 })
  return ok ? null : 'PyPI cannot be reached'
}
