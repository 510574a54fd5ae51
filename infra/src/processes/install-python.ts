import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { collectOutput } from './collect-output.ts'
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
  const installer = await installUv()
  if (installer.kind === 'failed') return installer
  const { uv, python } = installer
  const settings = ['--quiet', '--cache-dir', path.join(installer.folder, 'cache'), '--system-certs']
  const sources = await pipSources(python)
  return installInFolder({
    name,
    prepare: (folder) => [
      [uv, 'venv', ...settings, '--python', python, path.join(folder, 'venv')],
      [uv, 'pip', 'install', ...settings, ...sources, '--python', path.join(folder, 'venv'), ...packages],
    ],
  })
}

/**
 * Puts the files of one wheel of PyPI, which must have this hash, into `files` of the folder, and nothing that it depends on.
 *
 * @param name another name is another installation
 */
export async function installWheelFiles(name: string, { requirement, sha256 }: WheelOfPypi): Promise<Installed> {
  const installer = await installUv()
  if (installer.kind === 'failed') return installer
  const { uv, python } = installer
  const settings = ['--quiet', '--no-cache', '--system-certs', '--python', python]
  const sources = await pipSources(python)
  return installInFolder({
    name,
    prepare(folder) {
      const requirements = path.join(folder, 'requirements.txt')
      writeFileSync(requirements, `${requirement} --hash=sha256:${sha256}\n`)
      const flags = ['--no-deps', '--require-hashes', '--target', path.join(folder, 'files')]
      return [[uv, 'pip', 'install', ...settings, ...sources, ...flags, '--requirements', requirements]]
    },
  })
}

interface WheelOfPypi {
  /** Such as `name==1.0.0`. */
  readonly requirement: string
  readonly sha256: string
}

/**
 * Installs what `uv.lock` of a Python project lists, but not the project, in a virtual environment, `venv` of the folder.
 *
 * @param name another name is another installation
 */
export async function installPythonProject(name: string, project: string): Promise<Installed> {
  const installer = await installUv()
  if (installer.kind === 'failed') return installer
  const { uv, python } = installer
  return installInFolder({
    name,
    prepare(folder) {
      // A cache of its own, which shares its files with the environment and is removed when that is complete.
      const cache = path.join(folder, 'cache')
      const settings = ['--quiet', '--cache-dir', cache, '--system-certs', '--project', project, '--python', python]
      return [
        ['env', `UV_PROJECT_ENVIRONMENT=${path.join(folder, 'venv')}`, uv, 'sync', ...settings, ...projectFlags],
        ['rm', '-rf', cache],
      ]
    },
  })
}

/** Fails when the lockfile is older than what the project asks for. */
const projectFlags = ['--locked', '--no-install-project']

/** Builds the source distribution and the wheel of a Python project into a folder. */
export async function buildPythonPackage(project: string, to: string): Promise<Installed> {
  const installer = await installUv()
  if (installer.kind === 'failed') return installer
  const { uv, python } = installer
  const settings = [
    '--quiet',
    '--cache-dir',
    path.join(installer.folder, 'cache'),
    '--system-certs',
    '--python',
    python,
  ]
  const args = ['build', ...settings, ...(await pipSources(python)), '--out-dir', to, project]
  const { ok, output } = await collectOutput(uv, args, { cwd: project })
  return ok ? { kind: 'installed', folder: to } : { kind: 'failed', reason: output.slice(-4_000) }
}

type Installer =
  | { readonly kind: 'installed'; readonly folder: string; readonly uv: string; readonly python: string }
  | { readonly kind: 'failed'; readonly reason: string }

async function installUv(): Promise<Installer> {
  const found = findPython()
  if (found.kind === 'missing') return { kind: 'failed', reason: found.reason }
  const { python } = found
  const installed = await installInFolder({
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
  if (installed.kind === 'failed') return installed
  const { folder } = installed
  return { kind: 'installed', folder, uv: path.join(folder, 'venv', 'bin', 'uv'), python }
}

/** uv's options for where pip is told to look, which uv does not read itself. */
async function pipSources(python: string): Promise<readonly string[]> {
  const { ok, output } = await collectOutput(python, ['-m', 'pip', 'config', 'get', 'global.index-url'])
  const { PIP_INDEX_URL, PIP_EXTRA_INDEX_URL = '', PIP_FIND_LINKS = '' } = process.env
  const index = PIP_INDEX_URL ?? (ok ? (/^https?:\S+/m.exec(output)?.[0] ?? '') : '')
  const option = (name: string, values: string) =>
    values.split(/\s+/).flatMap((each) => (each === '' ? [] : [name, each]))
  return [
    ...option('--default-index', index),
    ...option('--index', PIP_EXTRA_INDEX_URL),
    ...option('--find-links', PIP_FIND_LINKS),
  ]
}
