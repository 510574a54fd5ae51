import { accessSync, constants, existsSync } from 'node:fs'
import { BootstrapError } from './bootstrap-error.mjs'
import { root } from './paths.mjs'

const supported = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

/** Throws early on a machine where the downloaded binaries (Node, Postgres) cannot run. */
export function checkMachine() {
  const platform = `${process.platform}-${process.arch}`
  if (!supported.includes(platform)) {
    throw new BootstrapError(
      `${platform} is not supported (${supported.join(', ')} are). Use docker compose, or WSL on Windows.`,
    )
  }
  if (existsSync('/etc/alpine-release')) {
    throw new BootstrapError('Alpine Linux is not supported: the Postgres binaries need glibc. Use docker compose.')
  }
  try {
    accessSync(root, constants.W_OK)
  } catch {
    throw new BootstrapError(`${root} is not writable for this user; clone the repository to a folder that is.`)
  }
}
