import path from 'node:path'
import { findProgram } from '@ratchet/infra/processes/find-program'
import { installInFolder } from '@ratchet/infra/processes/install-in-folder'

/** The agents as their makers publish them. They are no dependencies: only this test runs them. */
const packages = ['@anthropic-ai/claude-code@2.1.332', '@openai/codex@0.171.0', 'opencode-ai@1.18.33'] as const

/**
 * Installs the agents from the npm registry, about 1.1 GB in 20 s, unless they are there.
 *
 * @returns the folder of their commands
 * @throws Error when they cannot be downloaded
 */
export async function installAgents(): Promise<string> {
  const npm = findProgram('npm')
  if (npm === null) throw new Error('npm is not on the PATH')
  const installed = await installInFolder({
    name: `agents-${packages.join('-').replace(/[^\w.-]/g, '')}`,
    prepare: (folder) => [[npm, 'install', '--no-audit', '--no-fund', '--prefix', folder, ...packages]],
  })
  if (installed.kind === 'installed') return path.join(installed.folder, 'node_modules', '.bin')
  throw new Error(`the coding agents cannot be installed, so nothing was tested: ${installed.reason}`)
}
