import path from 'node:path'
import { findPython } from './find-python.ts'
import { type Installed, installInFolder } from './install-in-folder.ts'

/** It installs in a sixth of pip's time, and once what several installations have in common. */
const uvVersion = '0.13.9'

/**
 * Installs packages of PyPI in a virtual environment, `venv` of the folder.
 *
 * @param name another name is another installation
 */
export async function installPythonPackages(name: string, packages: readonly string[]): Promise<Installed> {
  const found = findPython()
  if (found.kind === 'missing') return { kind: 'failed', reason: found.reason }
  const { python } = found
  const installer = await installInFolder({
    name: `uv-${uvVersion}`,
    prepare: (folder) => [
      [python, '-m', 'venv', path.join(folder, 'venv')],
      [
        path.join(folder, 'venv', 'bin', 'pip'),
        'install',
        '--quiet',
        '--disable-pip-version-check',
        `uv==${uvVersion}`,
      ],
    ],
  })
  if (installer.kind === 'failed') return installer
  const uv = path.join(installer.folder, 'venv', 'bin', 'uv')
  const settings = ['--quiet', '--cache-dir', path.join(installer.folder, 'cache'), '--system-certs']
  // uv reads none of pip's variables.
  const index = process.env.PIP_INDEX_URL === undefined ? [] : ['--default-index', process.env.PIP_INDEX_URL]
  return installInFolder({
    name,
    prepare: (folder) => [
      [uv, 'venv', ...settings, '--python', python, path.join(folder, 'venv')],
      [uv, 'pip', 'install', ...settings, ...index, '--python', path.join(folder, 'venv'), ...packages],
    ],
  })
}
