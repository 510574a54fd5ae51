import { spawnSync } from 'node:child_process'
import { findProgram } from './find-program.ts'

export type FoundPython =
  | { readonly kind: 'found'; readonly python: string }
  | { readonly kind: 'missing'; readonly reason: string }

/** Set to a reason when no packages can be had from PyPI. */
export const withoutPypi = 'WITHOUT_PYPI'

/** Finds a Python of at least 3.11 that can make a virtual environment and install packages. */
export function findPython(): FoundPython {
  const unreachable = process.env[withoutPypi]
  if (unreachable !== undefined) return { kind: 'missing', reason: unreachable }
  const python = findProgram('python3')
  if (python === null) return { kind: 'missing', reason: 'python3 is not on the PATH' }
  const check = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'
  const { status } = spawnSync(python, ['-c', check])
  if (status === 0) return { kind: 'found', python }
  return { kind: 'missing', reason: 'python3 is older than 3.11 or has no venv' }
}
