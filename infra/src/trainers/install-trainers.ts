import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { isInstalled, removeOthers } from '../processes/install-in-folder.ts'
import { installPythonProject } from '../processes/install-python.ts'
import { ReadableError } from '../terminal/readable-error.ts'
import type { Terminal } from '../terminal/terminal.ts'

export const trainersFolder = path.join(repositoryRoot, 'trainers')

/** One thread that does not spin: with more, a step takes ten times as long on a busy machine. */
export const quietThreads = { OMP_NUM_THREADS: '1', OMP_WAIT_POLICY: 'PASSIVE' }

/**
 * Installs the packages of `trainers/uv.lock` once.
 *
 * @returns the folder with the programs of the environment
 * @throws ReadableError
 */
export async function installTrainers(terminal: Terminal): Promise<string> {
  const locked = ['pyproject.toml', 'uv.lock'].map((file) => readFileSync(path.join(trainersFolder, file), 'utf8'))
  const name = `trainers-${createHash('sha256').update(locked.join('\n')).digest('hex').slice(0, 12)}`
  if (!isInstalled(name)) {
    terminal.line(
      'PyTorch and the packages around it are downloaded from PyPI into node_modules/.cache: about 5 GB, once.',
    )
  }
  removeOthers('trainers-', name)
  const installed = await terminal.step('python packages', () => installPythonProject(name, trainersFolder))
  if (installed.kind === 'failed')
    throw new ReadableError(`The packages of trainers/ could not be installed: ${installed.reason}`)
  return path.join(installed.folder, 'venv', 'bin')
}
